"""Advice and what-ifs agree with ``simulate`` on the same jobs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedlab import simulate
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import JobQuery, Store
from schedlab.history.to_workload import workload_of
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.queries.cluster_load import load_of
from schedlab.history.web.queries.cluster_use import (
    Span,
    first_queue_s,
    hosts_of,
    last_end_s,
)
from schedlab.history.web.queries.cluster_use import jobs_of as jobs_of_span
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.simulations import ADVICE, WHAT_IF, simulations
from schedlab.history.web.simulations.advice import RATIOS, SimulationAdvice, Tried, tightened
from schedlab.history.web.simulations.policy_names import check_policies
from schedlab.history.web.simulations.what_if import WhatIfComparison
from schedlab.history.web.simulations.window import Window, version_of
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.metrics import METRICS
from schedlab.workload import Workload, apply, generate

NODES, EPOCH_S = 8, 1_700_000_000
USERS = ("ann", "ben", "cid")
ROOT = Viewer(Role.ADMIN, "root")
ANN = Viewer(Role.USER, "ann")


def records(workload: Workload) -> list[JobRecord]:
    """Return the jobs as first come, first served would have run them, each with its own nodes."""
    ran = simulate(workload, NODES, "fcfs")
    ranges = ran.named_nodes()
    return [
        JobRecord.model_validate(
            {
                "cluster": "one",
                "jobid": str(number),
                "queue_time": from_epoch(EPOCH_S + int(workload["submit_s"][number])),
                "start_time": from_epoch(EPOCH_S + int(ran.start_s[number])),
                "end_time": from_epoch(EPOCH_S + int(ran.end_s[number])),
                "req_walltime_sec": int(workload["request_s"][number]),
                "resource_req": {"num_host": int(workload["nodes"][number])},
                "per_host": [
                    {"node_id": f"n{node}"}
                    for first, last in ranges.of(number)
                    for node in range(first, last + 1)
                ],
                "state": "completed",
                "user_identifier": USERS[number % len(USERS)],
                "accounting_group": "physics" if number % 2 else "chemistry",
            }
        )
        for number in range(len(workload))
    ]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with 120 jobs of three users on eight nodes, with a mean WRA of about 0.5."""
    drawn = generate(f"lublin:nodes={NODES}", 120, seed=3)
    workload = apply(drawn, ["set_request=random:0.5", f"load=1.2:{NODES}"], seed=3)
    url = str(tmp_path_factory.mktemp("history") / "history.db")
    with Store.make(url) as store:
        store.put(records(workload), source="test")
    return url


@pytest.fixture
def window(history: str) -> Window:
    """The window from the first submission to after the last end."""
    with Store.open(history) as store:
        jobs = workload_of(store)
    span_s = int((jobs["submit_s"] + jobs["wait_s"] + jobs["run_s"]).max())
    first_s = int(jobs.header["UnixStartTime"][0])
    return Window("one", first_s, first_s + span_s + 1)


def result_of(url: str, kind: str, viewer: Viewer, **parameters: Any) -> Any:
    """Return the result that a worker would keep."""
    database = Database(url)
    task = QueuedTask(
        id="1",
        kind=kind,
        account="somebody",
        viewer=viewer,
        parameters=parameters,
        key="1",
        state=State.RUNNING,
        progress=0.0,
        created_s=0.0,
    )
    heard: list[float] = []
    try:
        result = simulations(database, ServiceSettings(url))[kind](task, heard.append)
    finally:
        database.close()
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    return result


def jobs_of(url: str, **query: Any) -> Workload:
    """Return the jobs of the store, as ``simulate`` takes them."""
    with Store.open(url) as store:
        return workload_of(store, JobQuery(**query))


def test_advice_is_what_simulate_says(history: str, window: Window) -> None:
    """The same jobs, given to ``simulate`` by hand, give the same mean waits."""
    advice = SimulationAdvice.from_result(
        result_of(history, ADVICE, ANN, user="ann", window=asdict(window))
    )
    jobs = jobs_of(history)
    own = jobs.labelled("user") == "ann"
    assert (advice.jobs, advice.all_jobs, advice.nodes) == (own.sum(), len(jobs), NODES)
    assert advice.asked_ratio == jobs["request_s"][own].sum() / jobs["run_s"][own].sum()
    assert advice.recorded_wait_s == jobs["wait_s"][own].mean()
    assert advice.wait_s == simulate(jobs, NODES, "easy").wait_s[own].mean()
    for ratio, tried in zip(RATIOS, advice.tried, strict=True):
        cut = jobs["request_s"].copy()
        cut[own] = np.minimum(cut[own], np.maximum(np.ceil(ratio * jobs["run_s"][own]), 1))
        schedule = simulate(jobs.replace(request_s=cut), NODES, "easy")
        assert tried == Tried(ratio, schedule.wait_s[own].mean())
    assert advice.notes[1:] == ["Every job asked for whole nodes."]


def test_nobodys_requests_but_the_users_are_cut(history: str) -> None:
    """No request is raised above what was asked for."""
    jobs = jobs_of(history)
    own = jobs.labelled("user") == "ben"
    cut = tightened(jobs, own, 1.5)["request_s"]
    assert np.array_equal(cut[~own], jobs["request_s"][~own])
    assert np.all(cut <= jobs["request_s"])
    assert np.all(cut >= np.minimum(jobs["request_s"], jobs["run_s"])), "nothing is killed for it"


@pytest.mark.parametrize(
    ("wait_s", "tried_s", "best"),
    [
        (1000, (100, 110, 120, 600, 1000), 2.0),  # 3 x would give away half of the gain
        (1000, (990, 995, 1000, 1000, 1000), None),  # hardly worth a word
        (1000, (1200, 1100, 1000, 1000, 1000), None),
        (0, (0, 0, 0, 0, 0), None),
        (1000, (500, 500, 500, 500, 500), 5.0),
    ],
)
def test_the_loosest_request_with_the_gain_is_advised(
    wait_s: float, tried_s: tuple[float, ...], best: float | None
) -> None:
    """A request that is too tight kills the job: the advice is no tighter than the gain needs."""
    tried = [Tried(ratio, each) for ratio, each in zip(RATIOS, tried_s, strict=True)]
    advice = SimulationAdvice(
        jobs=1,
        all_jobs=1,
        nodes=1,
        asked_ratio=8.4,
        recorded_wait_s=0.0,
        wait_s=wait_s,
        tried=tried,
    )
    assert (advice.best and advice.best.ratio) == best


def test_a_what_if_is_what_simulate_says(history: str, window: Window) -> None:
    """A viewer who sees every job gets the metrics of the schedules, beside what happened."""
    found = result_of(history, WHAT_IF, ROOT, policies=["easy", "sjf+easy"], window=asdict(window))
    comparison = WhatIfComparison.from_result(found)
    jobs = jobs_of(history)
    assert (comparison.jobs, comparison.all_jobs, comparison.nodes) == (len(jobs), len(jobs), NODES)
    schedules = [simulate(jobs, NODES, policy) for policy in ("fcfs", "easy", "sjf+easy")]
    names = ["as it was", "easy", "sjf+easy"]
    for outcome, schedule, name in zip(comparison.outcomes, schedules, names, strict=True):
        assert outcome.policy == name
        assert outcome.wait_s == pytest.approx(METRICS["wait"].value(schedule))
        slowdown = METRICS["bounded_slowdown"].value(schedule)
        assert outcome.bounded_slowdown == pytest.approx(slowdown)
        span = window.to_s - window.from_s
        used = schedule.used_nodes().integral(0, span) / (NODES * span)
        assert outcome.utilisation == pytest.approx(used)
        assert outcome.waits_s[-1] == schedule.wait_s.max()
    assert comparison.outcomes[0].p95_wait_s != comparison.outcomes[1].p95_wait_s


def test_waits_are_told_of_jobs_that_one_sees(history: str, window: Window) -> None:
    """A manager's comparison simulates all jobs, and reports the waits of the group's jobs."""
    manager = Viewer(Role.MANAGER, "meg", frozenset({"physics"}))
    found = result_of(history, WHAT_IF, manager, policies=["easy"], window=asdict(window))
    jobs = jobs_of(history)
    theirs = jobs.labelled("group") == "physics"
    assert (found["jobs"], found["all_jobs"]) == (theirs.sum(), len(jobs))
    schedule = simulate(jobs, NODES, "easy")
    assert found["outcomes"][1]["wait_s"] == pytest.approx(schedule.wait_s[theirs].mean())


def test_a_window_counts_what_was_submitted_in_it(history: str, window: Window) -> None:
    """Jobs that run when the window begins hold their nodes, and are not counted."""
    begin_s = window.from_s + (window.to_s - window.from_s) // 3
    part = Window("one", begin_s, window.to_s)
    found = result_of(history, WHAT_IF, ROOT, policies=["easy"], window=asdict(part))
    submitted = jobs_of(history, queued_from_s=begin_s)
    there = jobs_of(history, ran_from_s=begin_s)
    assert (found["jobs"], found["all_jobs"]) == (len(submitted), len(there))
    assert len(there) > len(submitted)


def test_a_window_without_jobs_is_refused(history: str) -> None:
    """There is nothing to simulate."""
    empty = {"cluster": "one", "from_s": 0, "to_s": 1_000}
    with pytest.raises(ParameterError, match="no job that has ended"):
        result_of(history, WHAT_IF, ROOT, policies=["easy"], window=empty)


def test_advice_needs_jobs_of_the_user(history: str, window: Window) -> None:
    """There is no advice on a user whose jobs the viewer does not see."""
    with pytest.raises(ParameterError, match="no job"):
        result_of(history, ADVICE, ANN, user="ben", window=asdict(window))


def test_both_databases_say_the_same(store_url: str) -> None:
    """The queries of windows and clusters work in SQLite and in PostgreSQL."""
    with Store.make(store_url) as store:
        store.put(records(generate(f"lublin:nodes={NODES}", 30, seed=2)), source="test")
        jobs = workload_of(store)
    span = Span("one", EPOCH_S, EPOCH_S + 10_000_000)
    manager = Viewer(Role.MANAGER, "meg", frozenset({"physics"}))
    found = result_of(store_url, WHAT_IF, manager, policies=["easy"], window=asdict(span))
    assert (found["jobs"], found["all_jobs"]) == (15, 30)
    database = Database(store_url)
    with database.reading() as connection:
        seen, load = jobs_of_span(connection, ANN, span), load_of(connection, ANN, span, parts=1)
        on_nodes = hosts_of(connection, ANN, span)
        last_s, first_s = (
            last_end_s(connection, ANN, "one"),
            first_queue_s(connection, ANN, "one", 0),
        )
    database.close()
    own = jobs.labelled("user") == "ann"
    assert len(seen) == own.sum() == len({key for key, _ in on_nodes})
    assert len(on_nodes) == jobs["nodes"][own].sum()
    assert load.used_nodes[0] * 10_000_000 == pytest.approx((jobs["nodes"] * jobs["run_s"]).sum())
    assert last_s == seen.end_s.max()
    assert first_s == seen.queue_s.min()


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "os:system+easy",
        "learned:/etc/passwd",
        "evolved:x",
        "eazy",
        "coalloc:solver=os:system",
        "lookahead",
    ],
)
def test_policies_are_those_of_the_table(name: str) -> None:
    """Any other name could make the service load code or files of its machine."""
    with pytest.raises(UnknownNameError, match="unknown policy"):
        check_policies(["easy", name])


@pytest.mark.parametrize("predictor", ["os:system", "noisy:sigma=1", "lasttwo"])
def test_predictors_are_those_of_the_table(predictor: str) -> None:
    """A predictor can be a user's own code, too."""
    with pytest.raises(UnknownNameError, match="unknown predictor"):
        check_policies([f"easy:predict={predictor}"])


def test_policies_have_their_full_names() -> None:
    """A policy that is given under two names is simulated once."""
    given = ["fcfs+easy", "easy", "sjf+easy:depth=3,predict=last-two", "evolved:slowdown"]
    assert check_policies(given) == ["easy", "sjf+easy:depth=3,predict=last-two", given[-1]]
    with pytest.raises(ParameterError, match="depth"):
        check_policies(["easy:depth=0"])


def test_a_wrong_policy_is_told_with_the_nearest() -> None:
    """A user who mistypes a name sees the nearest one."""
    with pytest.raises(UnknownNameError, match='did you mean "easy"'):
        check_policies(["eazy"])
    with pytest.raises(ParameterError, match="choose from 1 to 6"):
        check_policies([])


def test_a_changed_history_has_another_version(tmp_path: Path) -> None:
    """A kept result is not shown once new jobs have come."""
    drawn = generate("lublin:nodes=8", 10, seed=1)
    url, made = str(tmp_path / "history.db"), records(drawn)
    window = Window("one", EPOCH_S, EPOCH_S + 10_000_000)
    versions = []
    for part in (made[:5], made[5:], []):
        with Store.make(url) as store:
            store.put(part, source="test")
        database = Database(url)
        with database.reading() as connection:
            versions.append(version_of(connection, ROOT, window))
        database.close()
    assert versions[0] != versions[1]
    assert versions[1] == versions[2]
