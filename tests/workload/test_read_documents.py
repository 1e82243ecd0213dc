"""The pages on file formats say what the readers do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedlab.workload import COLUMNS, READERS, read_workload
from schedlab.workload.readers.gwf import GWF_COLUMNS
from schedlab.workload.readers.swf import SWF_FIELDS

DATA = Path(__file__).parents[1] / "data"
FORMATS = Path(__file__).parents[2] / "docs" / "formats"
INDEX = (FORMATS / "index.md").read_text(encoding="utf-8")


def test_every_format_is_in_the_table() -> None:
    """Each format has a row, with all its suffixes."""
    for name, reader in READERS.items():
        (row,) = re.findall(rf"^\| `{name}` .*$", INDEX, re.MULTILINE)
        assert all(f"`{suffix}`" in row for suffix in reader.suffixes)


@pytest.mark.parametrize("sample", ["ten.swf", "ten.gwf", "ten.json", "ten.csv"])
def test_every_repair_is_explained(sample: str) -> None:
    """A user who meets a reason in a report can look it up."""
    report = read_workload(DATA / sample).report
    for kind in ("repaired", "dropped", "noticed"):
        for reason in getattr(report, kind):
            assert f"| {kind} | {reason} |" in INDEX


def test_the_tables_of_columns_are_complete() -> None:
    """Users do not know of a column that is not on its page."""
    pages = {"swf.md": SWF_FIELDS, "gwf.md": GWF_COLUMNS.values(), "csv.md": COLUMNS}
    for page, columns in pages.items():
        text = (FORMATS / page).read_text(encoding="utf-8")
        assert all(f"`{column}`" in text for column in columns)


@pytest.mark.parametrize(("page", "suffix"), [("batsim-json.md", "json"), ("csv.md", "csv")])
def test_the_files_on_the_pages_can_be_read(page: str, suffix: str, tmp_path: Path) -> None:
    """Each block on a page is a complete file."""
    text = (FORMATS / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"```{suffix}\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        path = tmp_path / f"a.{suffix}"
        path.write_text(block)
        assert len(read_workload(path)) == 2
