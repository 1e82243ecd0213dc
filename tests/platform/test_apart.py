"""Partitions and queues of a trace, each with nodes of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schedlab import simulate
from schedlab.errors import SchedlabError
from schedlab.platform import Apart, Partition, keep_apart
from schedlab.platform.apart import parse_sizes
from schedlab.workload import Workload, read_workload

TRACES = Path(__file__).parents[3] / "shared" / "data" / "swf"
HEADER = {"MaxNodes": ["8"], "MaxProcs": ["8"]}


def four_jobs(header: dict[str, list[str]] | None = None, **columns: Any) -> Workload:
    """Return four jobs in two partitions.

    Two jobs of 3 nodes ran one after the other in partition 1, two of 2 nodes at the same time in
    partition 2.
    """
    usual = {
        "job_id": [1, 2, 3, 4],
        "submit_s": [0, 0, 0, 0],
        "nodes": [3, 3, 2, 2],
        "request_s": [10] * 4,
        "run_s": [10] * 4,
        "wait_s": [0, 10, 0, 5],
        "partition": [1, 1, 2, 2],
    }
    return Workload(usual | columns, name="trace", header=HEADER if header is None else header)


def told(apart: Apart) -> list[tuple[str, int, str]]:
    """Return the name and size of each partition, and how the size is known."""
    return [(each.name, each.nodes, each.how) for each in apart.parts]


def test_a_job_waits_for_nodes_of_its_partition() -> None:
    """On one pool of 8 nodes three of the jobs would start at once, and the fourth at 10."""
    apart = keep_apart(four_jobs(), sizes={"1": 3, "2": 4})
    schedule = simulate(apart.workload, apart.platform, "easy")
    assert schedule.start_s.tolist() == [0, 10, 0, 0]
    assert list(apart.notes()) == [
        "partitions: 1 3, 2 4 nodes, as given",
        "partitions: 1 nodes are in none",
    ]


def test_a_size_that_nobody_says_is_the_most_that_was_in_use() -> None:
    """Jobs 3 and 4 overlapped between 5 s and 10 s; job 2 began when job 1 had ended."""
    apart = keep_apart(four_jobs())
    assert told(apart) == [("1", 3, "inferred"), ("2", 4, "inferred")]
    assert apart.platform.clusters[0].partitions == (
        Partition("1", "[0-2]"),
        Partition("2", "[3-6]"),
    )


def test_inferred_partitions_overlap_where_they_must() -> None:
    """3 and 4 nodes of a machine of 5: the second begins again at the first node."""
    apart = keep_apart(four_jobs(), nodes=5)
    assert [each.nodes for each in apart.platform.clusters[0].partitions] == ["[0-2]", "[3-4,0-1]"]
    assert list(apart.notes())[-1] == "partitions: they overlap, by 2 nodes in all"
    assert simulate(apart.workload, apart.platform, "easy").start_s.tolist() == [0, 10, 0, 10]


@pytest.mark.parametrize(
    "header",
    [
        {"MaxNodes": ["8 (5 slow, 3 quick)"], "Partition": ["1 slow", "2 quick"]},
        {"MaxProcs": ["8"], "Partition": ["1 slow, 5 processors", "2 quick (3 cpus)"]},
    ],
)
def test_the_header_may_say_sizes(header: dict[str, list[str]]) -> None:
    """The header of SDSC Paragon does; partitions then go by their names."""
    sizes = [("slow", 5, "header"), ("quick", 3, "header")]
    assert told(keep_apart(four_jobs(header))) == sizes


def test_queues_stand_for_partitions() -> None:
    """They do where a trace has no partitions."""
    jobs = four_jobs(HEADER | {"Queue": ["1 day", "2 night"]}, partition=[-1] * 4)
    apart = keep_apart(jobs.replace(queue=[1, 1, 2, 2]), sizes={"night": 2})
    assert told(apart) == [("day", 3, "inferred"), ("night", 2, "given")]
    assert simulate(apart.workload, apart.platform, "easy").start_s.tolist() == [0, 10, 0, 10]


def test_names_that_do_not_tell_give_way_to_numbers() -> None:
    """Curie has four partitions called UNKNOWN, and one called 0."""
    jobs = four_jobs(HEADER | {"Partition": ["1 UNKNOWN", "2 UNKNOWN", "3 0"]})
    assert [each.name for each in keep_apart(jobs).parts] == ["1", "2"]


def test_a_job_without_partition_may_have_all_nodes() -> None:
    """No one knows where it belongs."""
    jobs = four_jobs(nodes=[3, 8, 2, 2], partition=[1, -1, 2, 2])
    apart = keep_apart(jobs, sizes={"1": 4, "2": 4})
    assert simulate(apart.workload, apart.platform, "easy").start_s.tolist() == [0, 10, 0, 0]


def test_a_machine_that_nobody_sizes_is_all_partitions_together() -> None:
    """A file without a header does not give the size."""
    assert keep_apart(four_jobs({}), sizes={"1": 3, "2": 4}).platform.nodes == 7


@pytest.mark.parametrize(
    ("jobs", "options", "said"),
    [
        (four_jobs(partition=[1] * 4), {}, "neither several partitions nor several queues"),
        (four_jobs(), {"sizes": {"3": 4}}, 'unknown partition "3"'),
        (four_jobs(), {"sizes": {"1": 0}}, 'nodes of "1" is 0; must be a whole number >= 1'),
        (four_jobs(), {"sizes": {"1": 2.5}}, 'nodes of "1" is 2.5; must be a whole number'),
        (four_jobs(), {"sizes": {"1": 5, "2": 4}}, "1=5, 2=4 nodes do not fit side by side into 8"),
        (four_jobs({}), {}, "its header has no MaxProcs or MaxNodes"),
        (four_jobs(wait_s=[-1] * 4), {}, 'neither size nor starts of partition "1"'),
        (
            four_jobs(HEADER | {"Partition": ["1 a", "2 b"]}),
            {"sizes": {"1": 2, "a": 2}},
            '"a" is given by name and by number',
        ),
    ],
)
def test_what_cannot_be_kept_apart_is_refused(
    jobs: Workload, options: dict[str, Any], said: str
) -> None:
    """The error is one sentence."""
    with pytest.raises(SchedlabError, match=said) as error:
        keep_apart(jobs, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "1", "1=", "=4", "1=0", "1=-4", "1=4.5", "1=nan", "1=9999999999", "1=4,1=4", "all"]
)
def test_sizes_that_are_none_are_refused(text: str) -> None:
    """Sizes are whole numbers, each partition once."""
    with pytest.raises(SchedlabError, match="partitions is"):
        parse_sizes(text)


@pytest.mark.skipif(not TRACES.is_dir(), reason="needs real traces")
def test_the_paragon_keeps_its_partitions_apart() -> None:
    """Its header says ``MaxNodes: 400 (48 interactive, 352 batch, 6 service, 10 I/O)``."""
    jobs = read_workload(TRACES / "SDSC-Par-1996-3.1-cln.swf.gz")
    sizes = [("interactive", 48, "header"), ("batch", 352, "header")]
    assert told(keep_apart(jobs)) == sizes
