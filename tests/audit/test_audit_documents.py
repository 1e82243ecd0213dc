"""The pages on audits and on the reference set say what the program does."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from schedlab.audit import SCHEDULE_READERS
from schedlab.audit.verdict import Reason, Rule
from schedlab.testing import reference_set

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guides" / "audit.md").read_text(encoding="utf-8")
FORMAT = (DOCS / "formats" / "reference-schedules.md").read_text(encoding="utf-8")


def test_every_rule_reason_and_format_has_its_row() -> None:
    """A reader looks up the word that the verdict used."""
    for word in (*get_args(Rule), *get_args(Reason), *SCHEDULE_READERS):
        assert f"\n| `{word}` |" in GUIDE


def test_every_reference_workload_has_its_row() -> None:
    """Name, size, jobs and point are those of the data."""
    for case in reference_set():
        (point,) = case.workload.header["Note"]
        assert f"\n| `{case.name}` | {case.nodes} | {len(case.workload)} | {point} |" in FORMAT
