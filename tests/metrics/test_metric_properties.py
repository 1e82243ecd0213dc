"""Laws that metrics obey on every schedule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.metrics import METRICS, find_job_metric, jain_index, table
from schedlab.metrics.capacity import least_over_spans
from schedlab.metrics.groupings import GROUPINGS
from schedlab.sim import Schedule, simulate
from schedlab.testing.strategies import workloads

NODES = 8


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Return schedules of nasty little workloads, with kills, withdrawals and dependencies."""
    policy = draw(st.sampled_from(["fcfs", "easy", "sjf", "conservative"]))
    return simulate(draw(workloads(NODES)), NODES, policy)


@given(st.lists(st.floats(0, 1e300), min_size=1))
def test_jain_lies_between_one_nth_and_one(values: list[float]) -> None:
    """Equal values give 1; one value that bears everything gives 1/n."""
    index = jain_index(values)
    assert 1 / len(values) - 1e-9 <= index <= 1 + 1e-9


def test_jain_at_its_bounds() -> None:
    """The two extremes of the definition, and the case 0/0."""
    assert jain_index([3, 3, 3]) == pytest.approx(1)
    assert jain_index([0, 0, 7]) == pytest.approx(1 / 3)
    assert jain_index([0, 0]) == 1


@given(schedules())
def test_used_and_lost_capacity_fit_into_the_machine(schedule: Schedule) -> None:
    """Nodes are either used or idle, so both shares together are at most 1."""
    used = METRICS["utilisation"].value(schedule)
    lost = METRICS["loss_of_capacity"].value(schedule)
    if schedule.horizon_s()[1] > schedule.horizon_s()[0]:
        assert 0 <= used <= 1
        assert 0 <= lost <= 1 - used + 1e-9


@given(schedules())
def test_loss_of_capacity_second_by_second(schedule: Schedule) -> None:
    """The formula is the sum over single seconds, since no event falls between two seconds."""
    first, last = schedule.horizon_s()
    used, left = schedule.used_nodes(), schedule.left_queue_s()
    lost = 0
    for second in range(first, last):
        waiting = (schedule.eligible_s >= 0) & (schedule.eligible_s <= second) & (left > second)
        idle = NODES - int(used.at(np.array([second]))[0])
        if np.any(schedule.workload["nodes"][waiting] <= idle):
            lost += idle
    if last > first:
        expected = lost / (NODES * (last - first))
        assert METRICS["loss_of_capacity"].value(schedule) == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(-9, 9))),
    st.integers(1, 30),
)
def test_least_over_spans_place_by_place(spans: list[tuple[int, int, int]], places: int) -> None:
    """The same as looking at every span for every place."""
    begin, end, value = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    found = least_over_spans(begin, end, value, places)
    none = np.iinfo(np.int64).max
    for place in range(places):
        over = [v for b, e, v in spans if b <= place < e]
        assert found[place] == min(over, default=none)


@given(schedules())
def test_littles_law(schedule: Schedule) -> None:
    """Mean queue length times makespan is the time jobs spent in the queue before the end."""
    first, last = schedule.horizon_s()
    waited = np.minimum(schedule.left_queue_s(), last) - schedule.eligible_s
    in_queue = waited[(schedule.eligible_s >= 0) & (waited > 0)].sum()
    assert METRICS["mean_queue_length"].value(schedule) * (last - first) == pytest.approx(in_queue)


@given(schedules(), st.sampled_from(["job", "node_second", "user"]))
def test_percentiles_rise_from_least_to_greatest(schedule: Schedule, weight: str) -> None:
    """A percentile never falls, and the mean lies between the 0th and the 100th."""
    wait = find_job_metric("wait")
    marks = [wait.percentile(schedule, percent, weight) for percent in (0, 25, 50, 75, 95, 100)]
    if not np.isnan(marks[0]):
        assert marks == sorted(marks)
        assert marks[0] <= wait.mean(schedule, weight) + 1e-9
        assert wait.mean(schedule, weight) <= marks[-1] + 1e-9


@given(schedules(), st.sampled_from(sorted(GROUPINGS)), st.sampled_from([50, 95, 100]))
def test_tables_agree_with_the_whole(schedule: Schedule, by: str, percent: float) -> None:
    """Groups put together again are the schedule, and a group's numbers are those of its jobs."""
    metric = find_job_metric("bounded_slowdown")
    groups = table(schedule, metric, by, percentiles=(percent,))
    ran = int(schedule.started.sum())
    assert groups["jobs"].sum() == ran
    if ran:
        mean = (groups["jobs"] * groups["mean"]).sum() / ran
        assert mean == pytest.approx(metric.value(schedule))
    if len(groups) == 1:
        assert groups[f"p{percent}"][0] == metric.percentile(schedule, percent)
