"""The machine a trace's header describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.errors import PlatformError
from schedlab.platform import header_size, platform_from_header
from schedlab.workload import Workload, apply, generate, header_int, read_workload

TRACES = Path(__file__).parents[3] / "shared" / "data" / "swf"


def two_jobs(**header: list[str]) -> Workload:
    """Return jobs of 8 and 12 processors under this header."""
    columns = {"job_id": [1, 2], "submit_s": [0, 0], "nodes": [8, 12]}
    return Workload({**columns, "request_s": [9, 9], "run_s": [9, 9]}, name="trace", header=header)


def test_a_trace_counts_processors() -> None:
    """SWF sizes are processors, so the machine is as large as MaxProcs."""
    assert platform_from_header(two_jobs(MaxNodes=["1024"], MaxProcs=["8192"])).nodes == 8192


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (
            {"MaxNodes": ["1024"], "MaxProcs": ["8192"]},
            "8,192 processors, as the trace's header says; each counts as a node",
        ),
        ({"MaxProcs": ["64"]}, "64 processors, as the trace's header says; each counts as a node"),
        ({"MaxNodes": ["64"], "MaxProcs": ["64"]}, "64 nodes, as the trace's header says"),
        ({"MaxNodes": ["3 (inferred from the jobs)"]}, "3 nodes, inferred from the jobs"),
    ],
)
def test_it_is_said_what_is_counted_and_by_whom(header: dict[str, list[str]], said: str) -> None:
    """RICC has 1,024 nodes, whatever a simulation of its 8,192 processors calls them."""
    assert str(header_size(two_jobs(**header))) == said


def test_whole_nodes_count_nodes() -> None:
    """Once cores were turned into nodes, the machine is as large as MaxNodes."""
    whole = apply(two_jobs(MaxNodes=["1024"], MaxProcs=["8192"]), ["cores_per_node=8"])
    platform = platform_from_header(whole)
    assert platform.nodes == 1024
    assert platform.groups[0].type.cores == 8


def test_the_first_integer_counts() -> None:
    """Archives explain themselves: of 512 nodes 338 ran batch jobs; some repeat a key."""
    header = {"MaxProcs": ["338 (batch partition; 512 total)", "400"]}
    assert platform_from_header(two_jobs(**header)).nodes == 338
    assert header_int({"MaxProcs": ["unknown", "about 7"]}, "MaxProcs") == 7
    assert header_int({"MaxProcs": ["unknown"]}, "MaxProcs") is None


def test_max_nodes_serves_where_it_is_all_there_is() -> None:
    """A header without MaxProcs, or with -1 for unknown, still tells the size."""
    assert platform_from_header(two_jobs(MaxNodes=["256"])).nodes == 256
    assert platform_from_header(two_jobs(MaxNodes=["256"], MaxProcs=["-1"])).nodes == 256


def test_without_a_size_the_user_is_asked() -> None:
    """Processors are not nodes, so MaxProcs does not help whole nodes."""
    with pytest.raises(PlatformError, match='"trace": its header has no MaxProcs or MaxNodes'):
        platform_from_header(two_jobs())
    with pytest.raises(PlatformError, match="its header has no MaxNodes above 0"):
        platform_from_header(apply(two_jobs(MaxProcs=["64"]), ["cores_per_node=8"]))


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("SDSC-SP2-1998-4.2-cln", 128), ("UniLu-Gaia-2014-2", 2004), ("lublin_256", 256)],
)
def test_real_traces(name: str, nodes: int) -> None:
    """The sizes are those in the archive's own headers."""
    path = TRACES / f"{name}.swf.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    assert platform_from_header(read_workload(path)).nodes == nodes


def test_generated_workloads_know_their_machine() -> None:
    """A preset made for 256 nodes can be simulated without saying so again."""
    assert platform_from_header(generate("wl1", 10)).nodes == 256
