"""The orientation in which a table is readable."""

from __future__ import annotations

from schedlab.experiments.summary_table import SummaryTable


def test_many_policies_are_rows() -> None:
    """Nine columns do not fit on a screen; two scenarios do."""
    policies = tuple(f"p{i}" for i in range(9))
    rows = [("a", "x", *(f"a{i}" for i in range(9))), ("b", "x", *(f"b{i}" for i in range(9)))]
    headings = ("workload", "variant", *policies)
    turned = SummaryTable("wait", "mean wait", policies, headings, rows, 2).readable()
    assert turned.headings == ("policy", "a x", "b x")
    assert turned.rows[0] == ("p0", "a0", "b0")
    assert (len(turned.rows), turned.text_columns) == (9, 1)


def test_few_policies_are_columns() -> None:
    """This is how people write such tables."""
    summary = SummaryTable(
        "wait", "mean wait", ("p",), ("workload", "p"), [("a", "1"), ("b", "2")], 1
    )
    assert summary.readable() is summary
