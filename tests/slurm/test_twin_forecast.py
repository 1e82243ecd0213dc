"""Forecasts through the twin: the state at a moment, what they know, and real runs beside them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import polars as pl
import pytest
from benchmarks.slurm_forecasts import scored
from tests.slurm.test_begin import BUSY, replayed, site_of
from tests.slurm.test_real_runs import imported
from tests.slurm.tiny_site import run

from schedlab.errors import InputError
from schedlab.slurm import SlurmHistory, SlurmSite
from schedlab.slurm.forecast import TwinForecaster, present_site
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.plain.jobs import jobs_of
from schedlab.slurm.replay import phases_of, replay_all, replay_native


def test_the_state_at_a_moment(tmp_path: Path) -> None:
    """At 450 s job 1 runs, jobs 3 and 6 wait; job 2 has ended, job 4 runs, job 7 has not come."""
    site = site_of(tmp_path, *BUSY)
    present, places = present_site(site, 450.0)
    assert places.tolist() == [0, 2, 3, 5]
    assert present.history is not None
    assert present.history.begin_s == 450
    jobs = jobs_of(present)
    assert [job.recorded_start_s for job in jobs] == [50, math.inf, 402, math.inf]
    assert [len(job.recorded_nodes) for job in jobs] == [1, 0, 1, 0]
    found = replayed(present)
    assert found.start_s[0] == pytest.approx(50, abs=0.1)
    assert found.start_s[1] >= 450


def test_what_was_used_until_then(tmp_path: Path) -> None:
    """The jobs before the moment count, less the decay of their use."""
    site = site_of(tmp_path, *BUSY)
    usage = {each.user: each.usage for each in present_site(site, 450.0)[0].accounts.associations}
    used = 4 * (450 - 300) + 12 * (400 - 300) + 4 * (450 - 402)
    assert usage["ann"] == pytest.approx(used, rel=0.01)


def test_a_forecast_knows_nothing_of_the_future(tmp_path: Path) -> None:
    """A forecast stays the same if later ends, starts and jobs change."""
    site = site_of(tmp_path, *BUSY)
    told = TwinForecaster(site, forks=8, seed=2).forecast(450.0)
    assert site.history is not None
    details, at_s = site.history.details, 450
    other = details.with_columns(
        end_s=pl.when(pl.col("end_s") > at_s).then(pl.col("end_s") + 900).otherwise("end_s"),
        start_s=pl.when(pl.col("start_s") > at_s).then(None).otherwise("start_s"),
    )
    workload = site.history.workload
    ended = (details["end_s"].fill_null(math.inf) <= at_s).to_numpy()
    run_s = np.where(ended, workload["run_s"], 1)
    history = SlurmHistory(workload.replace(run_s=run_s), other, site.history.commands)
    known = (details["submit_s"] <= at_s).to_numpy()
    history = SlurmHistory(
        history.workload.take(known), history.details.filter(known), begin_s=300.0
    )
    again = TwinForecaster(replace(site, history=history), forks=8, seed=2).forecast(450.0)
    np.testing.assert_array_equal(told.start_s, again.start_s)
    assert (np.diff(told.start_s, axis=1) >= 0).all()


def test_a_replay_that_ends_early_has_the_same_starts(tmp_path: Path) -> None:
    """All starts up to then are the same, also those of jobs that still run."""
    site = site_of(tmp_path, *BUSY)
    (clocks,) = phases_of(site, 1)
    (whole,) = replay_all(site, [clocks])
    for until_s in (300.0, 402.0, 450.0, 600.0, 2000.0):
        (part,) = replay_all(site, [clocks], until_s=until_s)
        wanted = np.where(whole.start_s <= until_s, whole.start_s, np.nan)
        np.testing.assert_array_equal(part.start_s, wanted)
        ended = np.where(whole.end_s <= until_s, whole.end_s, np.nan)
        np.testing.assert_array_equal(part.end_s, ended)
    controller = native_controller(SiteTables(site).made(), clocks)
    short = replay_native(controller, Event(), to_the_end=False)
    np.testing.assert_array_equal(short.start_s, whole.start_s)


def test_the_command(tmp_path: Path) -> None:
    """Jobs by the names that squeue gives them; the present of a dump is its end."""
    site_of(tmp_path, *BUSY)
    asked = ("forecast", tmp_path / "site", "--forks", 5, "--moments", 2)
    code, said = run(*asked, "--json")
    assert code == 0, said
    found = json.loads(said)
    assert [row["job"] for row in found["jobs"]] == ["8"], "it was pending when sacct ran"
    code, said = run(*asked, "--at", "450s")
    assert code == 0
    assert "2 jobs wait" in said
    code, said = run(*asked, "--job", "8")
    assert code == 0
    assert "job 8 will start" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--at", "60s"), "no job waits at 60 s"),
        (("--job", "3"), "job 3 does not wait"),
        (("--at", "soon"), "soon"),
        (("--forks", 0), "--forks"),
    ],
)
def test_what_it_refuses(tmp_path: Path, arguments: tuple[object, ...], says: str) -> None:
    """Each refusal is one sentence."""
    site_of(tmp_path, *BUSY[:1], *BUSY[2:])
    code, said = run("forecast", tmp_path / "site", "--moments", 0, *arguments)
    assert code == 2
    assert says in " ".join(said.split())


def test_a_history_is_needed(tmp_path: Path) -> None:
    """The error says so."""
    site: SlurmSite = replace(site_of(tmp_path, *BUSY), history=None)
    with pytest.raises(InputError, match="the site has no history"):
        TwinForecaster(site)


def test_better_than_squeue(shared_data: Path, tmp_path: Path) -> None:
    """Forecasts are compared with every fourth sample of squeue --start of a real run."""
    folder = shared_data / "slurm" / "runs" / "half-r2"
    site = imported(shared_data, tmp_path, "half-r2")
    found = scored(site, folder, every=4, forks=20)
    assert found["of_squeue"] < 0.6
    assert 0.65 < found["within_80"] < 0.95
