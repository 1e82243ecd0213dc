"""Forecasts of starts from the jobs of a store: by EASY, and by the twin of a Slurm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from schedlab import simulate
from schedlab.cli.served_twin import ServedTwin
from schedlab.errors import ParameterError
from schedlab.history.web.simulations.forecast_jobs import PastJobs, past_of
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.simulations.present_forecaster import PresentForecaster
from schedlab.platform import Platform
from schedlab.workload import Workload, apply, generate

NODES = 8
Record = dict[str, Any]


@pytest.fixture(scope="module")
def easy_past() -> PastJobs:
    """Jobs of the Lublin-Feitelson model, as EASY ran them."""
    drawn = generate(f"lublin:nodes={NODES}", 400, seed=3)
    workload = apply(drawn, ["set_request=random:0.5", f"load=0.9:{NODES}"], seed=3)
    schedule = simulate(workload, NODES, "easy")
    start_s, end_s = schedule.start_s.astype(float), schedule.end_s.astype(float)
    key = workload["job_id"].astype(np.int64)
    return PastJobs(schedule.workload, Platform.homogeneous(NODES), 0, key, start_s, end_s)


def busy_moments(past: PastJobs, many: int) -> NDArray[np.int64]:
    """Return moments in the later half of the past at which jobs were waiting."""
    waits = np.flatnonzero(past.start_s - past.workload["submit_s"] > 600)
    later = waits[len(waits) // 2 :]
    chosen = later[np.linspace(0, len(later) - 1, many).astype(int)]
    return np.unique(past.workload["submit_s"][chosen] + 60)


def test_intervals_hold_most_starts(easy_past: PastJobs) -> None:
    """Where EASY decides, about four of five starts are in the 80 % interval."""
    forecaster = PresentForecaster(easy_past, forks=20)
    inside, told = 0, 0
    for at_s in busy_moments(easy_past, 25):
        made = forecaster.forecast(int(at_s))
        low, high = made.quantiles([0.1, 0.9]).T
        real = easy_past.start_s[made.job]
        inside, told = (
            inside + int(((low - 1 <= real) & (real <= high + 1)).sum()),
            told + len(made),
        )
    assert told > 50
    assert 0.65 <= inside / told <= 0.95


def test_it_knows_nothing_of_what_comes(easy_past: PastJobs) -> None:
    """A forecast does not depend on what happens to the jobs afterwards."""
    at_s = int(busy_moments(easy_past, 3)[1])
    later = easy_past.end_s > at_s
    other = Workload(
        {
            **{name: easy_past.workload[name] for name in easy_past.workload.columns},
            "run_s": np.where(later, 1, easy_past.workload["run_s"]),
        }
    )
    ends = np.where(later, np.nan, easy_past.end_s)
    starts = np.where(easy_past.start_s > at_s, np.nan, easy_past.start_s)
    unknown = PastJobs(other, easy_past.platform, 0, easy_past.key, starts, ends)
    first, second = (PresentForecaster(each).forecast(at_s) for each in (easy_past, unknown))
    np.testing.assert_array_equal(first.job, second.job)
    np.testing.assert_array_equal(first.start_s, second.start_s)


def test_nothing_to_forecast(easy_past: PastJobs) -> None:
    """After the last job has ended, no job waits."""
    with pytest.raises(ParameterError, match="no job waits"):
        PresentForecaster(easy_past).forecast(int(easy_past.end_s.max()) + 1)


@pytest.fixture(scope="module")
def records(demo_folder: Path) -> list[Record]:
    """The jobs of the miniature site."""
    lines = (demo_folder / "jobs.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def as_of(records: Sequence[Record], now_s: float) -> list[Record]:
    """Return the records as they were known at a moment."""
    found = []
    for record in records:
        queue_s, start_s, end_s = (_epoch_s(record, each) for each in ("queue", "start", "end"))
        if queue_s > now_s:
            continue
        unknown = ("end_time",) if start_s <= now_s else ("start_time", "end_time", "per_host")
        if end_s > now_s:
            state = "running" if start_s <= now_s else "pending"
            record = {name: each for name, each in record.items() if name not in unknown}
            record["state"] = state
        found.append(record)
    return sorted(found, key=lambda each: _epoch_s(each, "queue"))


def _epoch_s(record: Record, name: str) -> float:
    return datetime.fromisoformat(record[f"{name}_time"]).timestamp()


@pytest.fixture(scope="module")
def now_s(records: list[Record]) -> int:
    """The moment at which the largest number of the site's jobs waits."""
    moments = [int(_epoch_s(each, "queue")) + 1 for each in records]

    def waiting(now_s: int) -> int:
        return sum(_epoch_s(each, "queue") <= now_s < _epoch_s(each, "start") for each in records)

    return max(moments, key=waiting)


def test_the_twin_goes_on_from_the_store(
    demo_folder: Path, records: list[Record], now_s: int
) -> None:
    """The twin has the configuration of the folder and the jobs of the store, up to now."""
    twin = ServedTwin(demo_folder / "slurm")
    assert twin.cluster() == "mini"
    known, steps = as_of(records, now_s), []
    waiting = {each["jobid"] for each in known if each["state"] == "pending"}
    assert len(waiting) > 3
    made = twin.forecast(known, now_s, lambda done, moments: steps.append((done, moments)))
    assert made.keys() == waiting
    assert steps[-1] == (20, 20)
    for low, middle, high in made.values():
        assert now_s <= low <= middle <= high


def test_the_twin_without_jobs(demo_folder: Path, now_s: int) -> None:
    """The error says what is wrong with the records."""
    with pytest.raises(ParameterError, match="has no jobs"):
        ServedTwin(demo_folder / "slurm").forecast([], now_s, lambda done, moments: None)


def test_the_past_of_records(records: list[Record], now_s: int) -> None:
    """Known starts and ends are kept; unknown ones are NaN."""
    known = dict(enumerate(as_of(records, now_s), 1))
    past = past_of(known, "mini", SiteMachines(None), now_s)
    states = [known[key]["state"] for key in past.key.tolist()]
    waits, unfinished = (
        np.array([each in which for each in states])
        for which in (("pending",), ("pending", "running"))
    )
    np.testing.assert_array_equal(np.isnan(past.start_s), waits)
    np.testing.assert_array_equal(np.isnan(past.end_s), unfinished)
    made = PresentForecaster(past, forks=5).forecast(now_s - past.epoch_s)
    assert len(made) == waits.sum()
