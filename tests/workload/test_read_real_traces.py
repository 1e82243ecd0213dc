"""Reading the real traces, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedlab.workload import header_int, read_workload, write_workload

DATA = Path(__file__).parents[3] / "shared" / "data"

RECORDS = {
    "RICC-2010-2": (447_794, 1024),
    "CEA-Curie-2011-2.1-cln": (312_826, 5544),
    "UniLu-Gaia-2014-2": (51_987, 151),
    "SDSC-SP2-1998-4.2-cln": (59_715, 128),
    "lublin_256": (10_000, 256),
}
GRID_JOBS = {10: 10, 40: 27, 70: 34, 100: 57, 130: 71, 160: 91, 190: 110}


def trace(name: str) -> Path:
    """Return the path of the trace, or skip the test without it."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand")
    return path


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_is_accounted_for(name: str) -> None:
    """Jobs and dropped records add up to the number that the archive gives for the file."""
    records, nodes = RECORDS[name]
    workload = read_workload(trace(f"swf/{name}.swf.gz"))
    assert workload.report.records == records
    assert len(workload) + sum(workload.report.dropped.values()) == records
    assert header_int(workload.header, "MaxNodes") == nodes


def test_the_known_oddities_are_counted() -> None:
    """The expected numbers were counted by other means."""
    ricc = read_workload(trace("swf/RICC-2010-2.swf.gz"))
    assert ricc.report.noticed["ran longer than requested"] == 7092
    curie = read_workload(trace("swf/CEA-Curie-2011-2.1-cln.swf.gz"))
    cancelled = curie.report.dropped["cancelled while waiting (run time 0, no processors)"]
    no_processors = curie.report.dropped.get("no processors", 0)
    stood_in = curie.report.repaired["no allocated processors, requested ones taken"]
    assert cancelled == 9_786
    assert cancelled + stood_in + no_processors == 10_912


@pytest.mark.parametrize("name", RECORDS)
def test_writing_swf_loses_nothing(tmp_path: Path, name: str) -> None:
    """Jobs, all fields and the whole header of a real trace survive."""
    workload = read_workload(trace(f"swf/{name}.swf.gz"))
    head = workload.take(np.arange(2000))
    write_workload(head, tmp_path / "a.swf")
    again = read_workload(tmp_path / "a.swf")
    assert all((again[column] == head[column]).all() for column in head.columns)
    assert again.header == workload.header


@pytest.mark.parametrize("load", GRID_JOBS)
def test_the_grid_papers_workloads(load: int) -> None:
    """Their requests are exact, so run times of cpu / 10^6 must equal them."""
    workload = read_workload(trace(f"grid/load_{load}.json"), strict=True)
    assert len(workload) == GRID_JOBS[load]
    assert (workload["run_s"] == workload["request_s"]).all()
