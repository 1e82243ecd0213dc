"""Summaries, comparisons and tables by group and over time."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.services.processor_time import processor_time_below

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.metrics import METRICS, compare, over_time, summary, table
from schedlab.platform import Platform
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload


def test_summary_has_what_the_command_line_promises(in_turn: Schedule) -> None:
    """These keys are the documented JSON of `schedlab simulate --json`."""
    told = summary(in_turn)
    assert told["policy"] == "fcfs"
    assert (told["jobs"], told["killed"], told["cancelled"]) == (3, 0, 0)
    assert told["makespan_s"] == 170
    assert told["utilisation"] == pytest.approx(420 / 680)
    assert told["mean_wait_s"] == pytest.approx(80)
    assert told["p95_wait_s"] == told["max_wait_s"] == 140
    assert told["mean_slowdown"] == told["mean_bounded_slowdown"] == pytest.approx(4)
    assert told["jobs_per_s"] == pytest.approx(3 / in_turn.wall_s)


def test_summary_is_json_even_when_nothing_is_known(empty: Schedule) -> None:
    """JSON has no NaN, so what is not defined is null."""
    told = json.loads(json.dumps(summary(empty), allow_nan=False))
    assert told["mean_wait_s"] is None
    assert told["jobs"] == 0


def test_summary_counts_cancelled_jobs(one_cancelled: Schedule) -> None:
    """They are counted, and the means leave them out."""
    told = summary(one_cancelled)
    assert (told["jobs"], told["cancelled"], told["mean_wait_s"]) == (3, 1, 10)


def test_compare_has_a_row_per_schedule(in_turn: Schedule, one_cancelled: Schedule) -> None:
    """The columns carry the names asked for."""
    frame = compare([in_turn, one_cancelled], ["wait", "wait:percentile=100"])
    assert frame.rows() == [("fcfs", 80.0, 140.0), ("fcfs", 10.0, 20.0)]


def test_table_by_user(in_turn: Schedule) -> None:
    """Ann waited 0 and 140 s with 220 node-seconds, bob 100 s with 200."""
    frame = table(in_turn, "wait", "user")
    assert frame.columns == ["user", "jobs", "node_seconds", "mean", "p50", "p95", "p100"]
    assert frame.rows() == [("ann", 2, 220, 70, 0, 140, 140), ("bob", 1, 200, 100, 100, 100, 100)]


def test_table_weighted_by_node_second(in_turn: Schedule) -> None:
    """Within ann's jobs the long one has 200 of the 220 node-seconds."""
    frame = table(in_turn, "wait", "user", weight="node_second", percentiles=(90, 91))
    assert frame["mean"][0] == pytest.approx(140 * 20 / 220)
    assert frame.row(0)[-2:] == (0, 140)


def test_compare_by_group(in_turn: Schedule, one_cancelled: Schedule) -> None:
    """A row per schedule and user; a job that never ran counts in no mean."""
    frame = compare([in_turn, one_cancelled], ["wait", "wait:percentile=100"], by="user")
    assert frame.columns == ["policy", "user", "jobs", "wait", "wait:percentile=100"]
    assert frame.rows()[:3] == [
        ("fcfs", "ann", 2, 70, 140),
        ("fcfs", "bob", 1, 100, 100),
        ("fcfs", "ann", 2, 10, 20),
    ]
    assert math.isnan(frame["wait"][3])


@pytest.mark.parametrize("by", ["partition", "account", "qos"])
def test_groups_by_the_names_of_the_site(three_jobs: Workload, by: str) -> None:
    """Groups have the workload's labels; jobs that name none are a group without a name."""
    columns = {name: three_jobs[name] for name in three_jobs.columns}
    jobs = Workload({**columns, by: [1, -1, 1]}, labels={by: ["debug", "long"]})
    schedule = simulate(jobs, 4, "fcfs")
    assert compare([schedule], ["wait"], by=by).rows() == [
        ("fcfs", "", 1, 100),
        ("fcfs", "long", 2, 70),
    ]
    assert table(schedule, "wait", by)[by].to_list() == ["", "long"]


def test_groups_have_no_utilisation(in_turn: Schedule, empty: Schedule) -> None:
    """A metric of the whole schedule is refused; a schedule without jobs has no groups."""
    with pytest.raises(ParameterError, match='metric "utilisation" has no value for each job'):
        compare([in_turn], ["wait", "utilisation"], by="user")
    with pytest.raises(UnknownNameError, match='did you mean "account"'):
        compare([in_turn], ["wait"], by="acount")
    assert compare([empty], ["wait"], by="qos").height == 0
    assert compare([empty, in_turn], ["wait"], by="user").height == 2


def test_table_by_size_class() -> None:
    """Classes are powers of two, and those without a job are not shown."""
    schedule = _many([1, 2, 3, 4, 5, 8, 9, 64, 65], [60] * 9)
    frame = table(schedule, "wait", "size")
    assert frame["size"].to_list() == ["1", "2", "3-4", "5-8", "9-16", "33-64", "65-128"]
    assert frame["jobs"].to_list() == [1, 1, 2, 2, 1, 1, 1]


def test_table_by_run_time_class() -> None:
    """A bound belongs to the class above it."""
    schedule = _many([1] * 6, [0, 59, 60, 3600, 86399, 86400])
    frame = table(schedule, "wait", "run_time")
    assert frame["run_time"].to_list() == [
        "under 1 min",
        "1-10 min",
        "1-6 h",
        "6-24 h",
        "1 d and over",
    ]
    assert frame["jobs"].to_list() == [2, 1, 1, 1, 1]


def test_table_over_days_of_submission() -> None:
    """Days count from the first submission; a day without a job is not shown."""
    schedule = _many([1, 1, 1], [1, 1, 1], submit_s=[1000, 1000 + 86399, 1000 + 2 * 86400])
    frame = table(schedule, "wait", "day")
    assert frame.select("day", "jobs").rows() == [(0, 2), (2, 1)]


def test_table_of_no_jobs_has_no_rows(empty: Schedule) -> None:
    """The table still has its columns."""
    assert table(empty, "wait", "size").shape == (0, 7)


def test_over_time_in_periods(in_turn: Schedule) -> None:
    """Two nodes for 100 s, four for 50 s, one for 20 s and then nothing until 200."""
    frame = over_time(in_turn, 100)
    assert frame["from_s"].to_list() == [0, 100]
    assert frame["utilisation"].to_list() == pytest.approx([200 / 400, 220 / 400])
    assert frame["mean_queue_length"].to_list() == pytest.approx([1.9, 0.5])
    assert frame["max_queue_length"].to_list() == [2, 1]


def test_over_time_of_nothing(empty: Schedule) -> None:
    """No time has passed, so there is no period."""
    assert over_time(empty).height == 0


def test_mistakes_say_what_was_allowed(in_turn: Schedule) -> None:
    """Each error is one sentence."""
    with pytest.raises(UnknownNameError, match='did you mean "user"'):
        table(in_turn, "wait", "users")
    with pytest.raises(ParameterError, match="must be >= 1"):
        over_time(in_turn, 0)


@pytest.mark.slow
def test_a_million_jobs_are_measured_quickly() -> None:
    """Every formula is vectorised: each takes well under a second on one core."""
    rng = np.random.default_rng(1)
    schedule = _many(
        rng.integers(1, 128, 1_000_000).tolist(),
        rng.integers(1, 10_000, 1_000_000).tolist(),
        submit_s=np.sort(rng.integers(0, 10**7, 1_000_000)).tolist(),
    )
    for metric in METRICS.values():
        with processor_time_below(30):
            metric.value(schedule)


def _many(nodes: list[int], run_s: list[int], submit_s: list[int] | None = None) -> Schedule:
    """Return a schedule in which jobs start at submission, on a machine large enough for all."""
    submit = np.array(submit_s or [0] * len(nodes))
    workload = Workload(
        {
            "job_id": range(len(nodes)),
            "submit_s": submit,
            "nodes": nodes,
            "request_s": np.maximum(run_s, 1),
            "run_s": run_s,
        }
    )
    return Schedule(
        workload,
        Platform.homogeneous(100_000),
        "none",
        start_s=submit,
        end_s=submit + workload["run_s"],
        eligible_s=submit,
        first_reserved_s=np.full(len(nodes), -1),
        state=np.ones(len(nodes), dtype=np.int8),
    )


def test_groups_go_by_the_names_in_a_header(three_jobs: Workload) -> None:
    """SWF names them: `; Queue: 1 short`; a number that the header does not name stays a number."""
    columns = {name: three_jobs[name] for name in three_jobs.columns if name != "user"}
    header = {"Queue": ["1 short", "2 long; nights only"]}
    jobs = Workload({**columns, "queue": [1, 2, 7]}, header=header)
    found = table(simulate(jobs, 4, "fcfs"), "wait", "queue")
    assert found["queue"].to_list() == ["short", "long", "7"]
