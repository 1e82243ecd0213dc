"""A workload is read back as it was written, as far as the format can carry it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.workload import COLUMNS, WRITERS, Workload, read_workload, write_workload
from schedlab.workload.readers.frame_records import CODED
from schedlab.workload.readers.gwf import GWF_COLUMNS

SUFFIX = {
    "swf": "swf.gz",
    "gwf": "gwf",
    "gwf-sqlite": "sqlite",
    "batsim-json": "json.gz",
    "parquet": "parquet",
    "csv": "csv",
}
LEAST = {"nodes": 1, "request_s": 1, "run_s": 0, "submit_s": 0}
COUNTS = ("allocated_procs", "requested_procs")
REAL = st.floats(0, 1e12) | st.integers(0, 2**40).map(float)
NAME = (
    st.text(
        st.characters(exclude_categories=("C", "Z")) | st.sampled_from(' ,"#;'),
        min_size=1,
        max_size=6,
    )
    .map(str.strip)
    .filter(lambda name: name and "_" not in name and not name.lstrip("-").isdecimal())
)
LINE = st.text(st.characters(exclude_categories=("C", "Z")), max_size=8)
HEADER = st.dictionaries(
    st.from_regex(r"[A-Z][A-Za-z0-9]{0,8}", fullmatch=True).filter(
        lambda key: key not in ("Version", "Provenance", "MaxNodes", "Queue", "Partition")
    ),
    st.lists(LINE, min_size=1, max_size=3),
    max_size=3,
)


TEXTS = {
    "needs": "north:{0}+south:2",
    "resources": "fpga:{0}+nvme:2",
    "licences": "matlab:{0}",
    "dependencies": "afterok:12:{0},singleton",
}
"""Columns whose labels must have a meaning."""


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Return workloads with any of the columns, names in place of codes, and a header."""
    jobs = draw(st.integers(1, 6))
    optional = [name for name, column in COLUMNS.items() if not column.required]
    names = [name for name in COLUMNS if COLUMNS[name].required]
    names += draw(st.lists(st.sampled_from(optional), unique=True))
    labels = {
        name: draw(
            st.lists(
                NAME, min_size=jobs, max_size=jobs, unique_by=lambda text: "_".join(text.split())
            )
        )
        for name in names
        if name in CODED and name not in TEXTS and draw(st.booleans())
    }
    for name in TEXTS.keys() & names:
        labels[name] = [TEXTS[name].format(number) for number in range(1, jobs + 1)]
    columns = {name: draw(_values(name, jobs, name in labels)) for name in names}
    if "depends_on" in columns:
        columns["depends_on"] = [-1, *columns["job_id"][:-1]]
    return Workload(columns, header=draw(HEADER), labels=labels).record("drawn", seed=7)


def _values(name: str, jobs: int, coded: bool) -> st.SearchStrategy[list[Any]]:
    if name == "job_id":
        return st.lists(st.integers(0, 2**40), min_size=jobs, max_size=jobs, unique=True)
    value: st.SearchStrategy[Any] = st.integers(LEAST.get(name, -1), 2**40)
    if coded:
        value = st.integers(-1, jobs - 1)
    elif COLUMNS[name].dtype is np.float64:
        value = REAL | st.just(COLUMNS[name].missing)
    return st.lists(value, min_size=jobs, max_size=jobs)


def carried(workload: Workload, format: str) -> dict[str, list[Any]]:
    """Return the columns that the format carries, with names for codes, unless all missing."""
    shown = {}
    for name in workload.columns:
        missing = COLUMNS[name].missing
        values = workload[name]
        nothing = missing is not None and bool(np.all((values == missing) | (values != values)))
        if name in WRITERS[format].columns and not nothing:
            shown[name] = ["" if v != v else v for v in workload.labelled(name).tolist()]
    return shown


@pytest.mark.parametrize("format", WRITERS)
@given(workload=workloads())
@settings(max_examples=40, deadline=None)
def test_jobs_survive_every_format(format: str, workload: Workload) -> None:
    """A conversion there and back must not change an experiment."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{SUFFIX[format]}"
        lost = write_workload(workload, path)
        again = read_workload(path)
    assert not set(lost) & set(WRITERS[format].columns)
    before, after = carried(workload, format), carried(again, format)
    if format in ("swf", "gwf", "gwf-sqlite"):
        for shown in (before, after):
            for name in COUNTS:
                shown.pop(name, None)
    for name in workload.labels.keys() & before:
        if format == "swf":
            before[name] = workload[name].tolist()
        elif format == "gwf" and name in GWF_COLUMNS.values():
            before[name] = ["_".join(text.split()) for text in before[name]]
    assert after == before


@pytest.mark.parametrize("format", ["swf", "gwf", "batsim-json", "parquet"])
@given(workload=workloads())
@settings(max_examples=20, deadline=None)
def test_header_and_provenance_survive(format: str, workload: Workload) -> None:
    """The origin of a workload belongs to it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{SUFFIX[format]}"
        write_workload(workload, path)
        again = read_workload(path)
    assert again.provenance[:-1] == workload.provenance
    assert {key: again.header.get(key) for key in workload.header} == workload.header


def test_parquet_keeps_codes_and_labels_as_they_are(tmp_path: Path) -> None:
    """The native format loses nothing at all, not even labels that look like numbers."""
    columns = {name: [1] for name in ("job_id", "submit_s", "nodes", "request_s", "run_s")}
    workload = Workload({**columns, "user": [1]}, name="named", labels={"user": ["10", "20"]})
    write_workload(workload, tmp_path / "a.parquet")
    again = read_workload(tmp_path / "a.parquet")
    assert (again, again.labels, again.name) == (workload, workload.labels, "named")
