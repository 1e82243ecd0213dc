"""The conformance test passes every reader we have, and names the rule that others break."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from schedlab.errors import InputError, WorkloadError
from schedlab.testing import check_reader
from schedlab.workload import Workload, read_workload, write_workload
from schedlab.workload.readers import READERS, Reader, ReadOptions, Source
from schedlab.workload.readers.swf import SwfReader

DATA = Path(__file__).parents[1] / "data"
TEN = {"swf": "ten.swf", "gwf": "ten.gwf", "batsim-json": "ten.json", "csv": "ten.csv"}
WRITTEN = {"parquet": "ten.parquet", "gwf-sqlite": "ten.sqlite"}
GPU = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,12000,16384,1,1000,,LS,Running,5,105,15
b,6000,12288,1,460,V100|T4,BE,Running,7,27,9
"""
HISTORY = {
    "jobid": "1",
    "queue_time": "20260105T120000+0900",
    "start_time": "20260105T120100+0900",
    "end_time": "20260105T120300+0900",
    "req_walltime_sec": 600,
    "resource_req": {"num_host": 2, "num_cpu_perhost": 4},
    "per_host": [{"node_id": "n1"}, {"node_id": "n2"}],
    "state": "completed",
}


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """A small file of each format."""

    def find(name: str) -> Path:
        if name in TEN:
            return DATA / TEN[name]
        if name in WRITTEN:
            path = tmp_path / WRITTEN[name]
            write_workload(read_workload(DATA / "ten.swf"), path, format=name)
            return path
        path = tmp_path / "sample"
        path.write_text({"alibaba-gpu": GPU, "job-history": json.dumps(HISTORY) + "\n"}[name])
        return path

    return find


@pytest.mark.parametrize("name", READERS)
def test_our_readers_keep_the_rules(name: str, sample: Callable[[str], Path]) -> None:
    """A reader that joins the table needs a sample here."""
    check_reader(READERS[name], sample(name))


class Careless(SwfReader):
    """Looks at bytes that may not be there."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Fail if the file does not begin with a comment."""
        assert source.data.startswith(b";")
        return super().read(source, options)


class Moody(SwfReader):
    """Leaves out a random number of jobs."""

    random = random.Random(1)

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return another number of jobs each time."""
        workload = super().read(source, options)
        return workload.take(np.arange(self.random.randrange(1, len(workload))))


class Raw(SwfReader):
    """Looks at the bytes on the disk."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Let the number of jobs depend on the length of the packed file."""
        workload = super().read(source, options)
        return workload.take(np.arange(len(source.raw) % len(workload)))


class Lenient(SwfReader):
    """Repairs even if reading is strict."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Ignore ``strict``."""
        return super().read(source, ReadOptions())


class Nameless(SwfReader):
    """Does not say which file is wrong."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Leave the name of the file out."""
        try:
            return super().read(source, options)
        except InputError:
            raise InputError("there is something wrong") from None


class Lazy(Reader):
    """Gives something that is not a workload."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return None."""
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("reader", "rule"),
    [
        (Careless, "must raise an InputError, not a AssertionError"),
        (Moody, "two readings of a file must give the same workload; Moody broke this on .*swf"),
        (Raw, "a packed file must give the same workload"),
        (Nameless, "an error must begin with the name of the file"),
        (Lazy, "must return a Workload, not a NoneType"),
    ],
)
def test_a_broken_rule_is_named(reader: type[Reader], rule: str) -> None:
    """The message names the rule, the reader and the file."""
    with pytest.raises((WorkloadError, InputError), match=rule):
        check_reader(reader, DATA / "ten.swf")


def test_strict_is_no_suggestion(tmp_path: Path) -> None:
    """A file that needs repairs is repaired, or refused if reading is strict."""
    lines = (DATA / "ten.swf").read_text().splitlines()
    path = tmp_path / "late.swf"
    jobs = [line for line in lines if not line.startswith(";")]
    path.write_text("\n".join([*jobs[1:], jobs[0]]) + "\n")
    check_reader(SwfReader, path)
    assert any(read_workload(path).report.repaired.values())
    with pytest.raises(WorkloadError, match="strict must refuse a file in which something"):
        check_reader(Lenient, path)


def test_nothing_is_checked_without_a_file() -> None:
    """Otherwise the check would pass any reader."""
    with pytest.raises(WorkloadError, match="needs a file"):
        check_reader(SwfReader)
