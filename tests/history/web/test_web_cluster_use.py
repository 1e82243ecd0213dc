"""What a cluster did in a window of time, compared with a count second by second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.history.records import NOON_S, job
from tests.history.web.filled import BOTH, filled
from tests.history.web.served import Served

from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.plots.boxes import Boxes, GanttBars, busy_shares
from schedlab.history.web.plots.drawing import MOST_ROWS, clock, over_time
from schedlab.history.web.queries.cluster_load import Stays, load_of
from schedlab.history.web.queries.cluster_use import (
    Span,
    hosts_of,
    jobs_of,
    last_end_s,
    natural,
)
from schedlab.platform import Cluster, NodeGroup, NodeType

ANN, ROOT = Viewer(Role.USER, "ann"), Viewer(Role.ADMIN, "root")
SPAN = Span("one", NOON_S, NOON_S + 400)

# Four jobs on the same node, a minute apart: each waits 10 s and runs 100 s.
MOMENTS = range(400)
USED = [int(10 <= at < 290) for at in MOMENTS]
QUEUED = [sum(60 * k <= at < 60 * k + 10 for k in range(4)) for at in MOMENTS]


def test_the_load_is_everybodys(served: Served) -> None:
    """Every user may know how busy the cluster was; the means are exact."""
    with served.database.reading() as connection:
        for viewer in (ANN, ROOT):
            load = load_of(connection, viewer, SPAN, parts=4)
            assert load.edge_s.tolist() == [NOON_S + part for part in (0, 100, 200, 300, 400)]
            for found, each in ((load.used_nodes, USED), (load.queued_jobs, QUEUED)):
                assert found == pytest.approx(np.reshape(each, (4, 100)).mean(axis=1))


@pytest.fixture(params=BOTH)
def shared(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Seven jobs at the same time on four nodes; two do not say how many CPUs they had."""
    request_of = ({"num_host": 1, "num_cpu_perhost": 2}, {"num_host": 1})
    records = [
        job(
            str(number),
            per_host=[{"node_id": f"n{number % 4}"}],
            resource_req=request_of[number > 4],
            resource_alloc={"num_cpu": 3} if number == 0 else None,
        )
        for number in range(7)
    ]
    with filled(request, records) as database, database.reading() as connection:
        yield connection


def test_a_shared_node_counts_once_and_cpus_tell_the_shares(shared: Connection) -> None:
    """Four nodes are in use, not seven; a job that states no CPUs counts with all of its node's."""
    machine = Cluster("one", (NodeGroup(NodeType(cores=8), hosts="n[0-3]"),))
    load = load_of(shared, ROOT, Span("one", NOON_S + 10, NOON_S + 110), machine, parts=1)
    assert load.used_nodes == pytest.approx([4])
    assert load.used_cpus == pytest.approx([3 + 4 * 2 + 2 * 8])
    assert load_of(shared, ROOT, SPAN).used_cpus is None


STAYS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 380), st.integers(0, 200)), max_size=12
)


@given(STAYS)
def test_nodes_are_in_use_while_a_job_has_them(stays: list[tuple[int, int, int]]) -> None:
    """A node counts once in each second; it is shared if two jobs have it at the same time."""
    node, begin, length = np.array(stays, dtype=np.int64).reshape(-1, 3).T
    start_s, end_s, is_shared = Stays(node, node, begin, begin + length).merged()
    spans = [(node, range(begin, begin + length)) for node, begin, length in stays]
    held = [[node for node, span in spans if at in span] for at in range(600)]
    assert int((end_s - start_s).sum()) == sum(len(set(nodes)) for nodes in held)
    assert is_shared == any(len(nodes) > len(set(nodes)) for nodes in held)


def test_a_job_whose_nodes_have_no_names_counts_as_many_as_it_had(served: Served) -> None:
    """The nodes of such a job are added to those with names."""
    unnamed = job("9", per_host=[], resource_req={"num_host": 3})
    with Store.open(served.settings.store) as store:
        store.put([unnamed], source="scheduler")
    with served.database.reading() as connection:
        load = load_of(connection, ROOT, SPAN, parts=1)
    assert load.used_nodes[0] * 400 == pytest.approx(sum(USED) + 3 * 100)


def test_jobs_and_their_nodes_are_those_that_one_sees(served: Served) -> None:
    """Of other users' jobs, only the number is shown."""
    with served.database.reading() as connection:
        assert jobs_of(connection, ANN, SPAN).jobid == ("1",)
        assert jobs_of(connection, ROOT, SPAN).jobid == ("1", "2", "3", "4")
        assert len(hosts_of(connection, ANN, SPAN)) == 1
        assert {node for _, node in hosts_of(connection, ROOT, SPAN)} == {"n01"}
        assert last_end_s(connection, ANN, "one") == NOON_S + 110
        assert last_end_s(connection, ROOT, "one") == NOON_S + 290
        assert last_end_s(connection, ROOT, "other") is None


@pytest.mark.parametrize(
    ("items", "used", "queued"),
    [
        ({"end_time": None, "state": "running"}, 290, 10),
        ({"start_time": None, "end_time": None, "state": "pending"}, 0, 300),
        ({"start_time": None, "state": "cancelled"}, 0, 110),
    ],
)
def test_jobs_that_have_not_ended_count_to_the_end(
    served: Served, items: dict[str, Any], used: int, queued: int
) -> None:
    """A job that runs or waits still does so now; one that was withdrawn has left the queue."""
    unfinished = job("9", cluster="two", user_identifier="ann", **items)
    with Store.open(served.settings.store) as store:
        store.put([unfinished], source="scheduler")
    span = Span("two", NOON_S, NOON_S + 300)
    with served.database.reading() as connection:
        load = load_of(connection, ANN, span, parts=1)
        assert load.used_nodes[0] * 300 == pytest.approx(used)
        assert load.queued_jobs[0] * 300 == pytest.approx(queued)
        assert len(jobs_of(connection, ANN, span)) == 1


def test_a_job_without_times_of_waiting_does_no_harm(served: Served) -> None:
    """A source that does not say when a job was submitted still says when it ran."""
    start = from_epoch(NOON_S + 50)
    with Store.open(served.settings.store) as store:
        store.put([job("9", cluster="two", queue_time=None, start_time=start)], source="scheduler")
    span = Span("two", NOON_S, NOON_S + 300)
    with served.database.reading() as connection:
        seen = jobs_of(connection, ROOT, span)
        assert (seen.queue_s[0], seen.start_s[0]) == (NOON_S + 50, NOON_S + 50)
        assert load_of(connection, ROOT, span, parts=1).queued_jobs[0] == 0


def test_nodes_are_in_the_order_of_their_numbers() -> None:
    """n10 does not come before n2."""
    assert sorted(["n10", "n2", "gpu1", "n1"], key=natural) == ["gpu1", "n1", "n2", "n10"]


pairs = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 12)), min_size=1)


@given(pairs)
def test_boxes_cover_each_node_of_each_job_once(pairs: set[tuple[int, int]]) -> None:
    """Only neighbouring nodes of the same job share a box."""
    job_at, node_at = np.array(sorted(pairs, key=hash)).T
    boxes = Boxes.of(job_at, node_at)
    covered = [
        (int(job), node)
        for job, first, last in zip(boxes.job, boxes.first, boxes.last, strict=True)
        for node in range(first, last + 1)
    ]
    assert sorted(covered) == sorted(pairs)
    assert len(boxes) == sum((job, node - 1) not in pairs for job, node in pairs)


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(1, 300)), min_size=1, max_size=5))
def test_shares_keep_the_busy_time(jobs: list[tuple[int, int]]) -> None:
    """Where no node is shared, the picture is as busy as the nodes were."""
    start = np.array([begin for begin, _ in jobs])
    end = start + np.array([length for _, length in jobs])
    place = np.arange(len(jobs))
    bars = GanttBars([""] * len(jobs), [""] * len(jobs), start, end, place)
    shares = busy_shares(Boxes(place, place, place), bars, len(jobs), (100, 1100))
    inside = np.clip(end, 100, 1100) - np.clip(start, 100, 1100)
    assert shares.mean(axis=1) * 1000 == pytest.approx(inside)


@given(st.integers(1, 400))
def test_a_table_over_time_is_short_and_keeps_the_mean(parts: int) -> None:
    """The table has at most ``MOST_ROWS`` rows, however many parts the figure has."""
    edge_s = NOON_S + np.cumsum(np.arange(parts + 1) % 7 + 1)
    values = np.arange(parts, dtype=float)
    columns = over_time(edge_s, {"nodes": values})
    assert len(columns["From"]) == len(columns["nodes"]) == min(parts, MOST_ROWS)
    assert columns["From"][0] == clock(edge_s[0])
    if parts <= MOST_ROWS:
        assert columns["nodes"] == values.tolist()
    assert min(columns["nodes"]) <= np.average(values, weights=np.diff(edge_s))
    assert max(columns["nodes"]) >= np.average(values, weights=np.diff(edge_s))
