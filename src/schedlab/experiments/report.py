"""The tables and the report of a run: our values, the published ones, and their difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.experiments.coallocation.pictures import draw_figures
from schedlab.experiments.document import (
    Block,
    Code,
    Heading,
    Paragraph,
    Picture,
    Table,
    as_html,
    as_markdown,
)
from schedlab.experiments.pictures import draw_pictures
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.summary_table import SummaryTable, scenario_keys, summary_tables, written
from schedlab.experiments.table import Row, results, summary
from schedlab.metrics.intervals import RESAMPLES

FILES = ("results.parquet", "results.csv", "summary.csv", "report.html", "report.md")


def write_report(path: str | Path) -> None:
    """Write ``FILES`` and the pictures from what is finished in a run's folder."""
    folder = RunFolder(Path(path))
    record, cells, means = folder.record(), results(path), summary(path)
    title = record["title"] or record["name"]
    rows = means.to_dicts()
    pictures = [*draw_pictures(folder, rows), *draw_figures(folder, cells)]
    blocks = list(_blocks(record, rows, len(cells), pictures))
    with atomic_write(folder.path / "results.parquet") as temporary:
        cells.write_parquet(temporary)
    for name, text in (
        ("results.csv", cells.write_csv()),
        ("summary.csv", means.write_csv()),
        ("report.html", as_html(title, blocks)),
        ("report.md", as_markdown(blocks)),
    ):
        with atomic_write(folder.path / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _blocks(
    record: Mapping[str, Any], rows: Sequence[Row], finished: int, pictures: Sequence[Picture]
) -> Iterator[Block]:
    yield Heading(record["title"] or record["name"], 1)
    yield from map(Paragraph, _remarks(record, finished))
    for picture in pictures:
        yield Heading(picture.title)
        yield picture
    for shown in summary_tables(rows, record):
        yield Heading(shown.label)
        yield Table(shown.headings, shown.rows, shown.text_columns)
        yield Heading("In full", 3)
        yield _in_full(shown, rows)
    yield from _what_was_run(record)


def _remarks(record: Mapping[str, Any], finished: int) -> Iterator[str]:
    """Yield what a reader must know before the numbers."""
    seeds, cells = len(record["seeds"]), len(record["cells"])
    plural = "s" if seeds > 1 else ""
    yield f"{finished:,} of {cells:,} cells finished; {seeds} seed{plural}."
    if record["jobs_limit"] is not None:
        yield (
            f"A quick run: at most {record['jobs_limit']:,} jobs of each workload. "
            "Its numbers are not those of the experiment."
        )
    if record["published"]["rows"]:
        source = record["published"]["source"] or "a published table"
        yield f"Theirs, in brackets at first, are from {source}; the difference is ours − theirs."
    if seeds > 1:
        yield (
            "Ours are means over seeds. Intervals are of 95 % confidence: Student's t, which takes "
            "the values of seeds to be normally distributed, and the percentile bootstrap of "
            f"{RESAMPLES:,} resamples, which does not but is too narrow for few seeds."
        )
    yield from record.get("remarks", ())
    for name, error in record["failures"].items():
        yield f"Failed: {name}: {error}"


def _in_full(shown: SummaryTable, rows: Sequence[Row]) -> Table:
    keys = (*scenario_keys(rows), "policy")
    headings = (*keys, "seeds", "ours", "t-interval", "bootstrap", "theirs", "difference", "%")
    return Table(
        headings,
        [
            (*(row[key] for key in keys), *_numbers(row))
            for row in rows
            if row["metric"] == shown.metric and row["policy"] in shown.policies
        ],
        len(keys),
    )


def _numbers(row: Row) -> tuple[str, ...]:
    difference, percent = row["difference"], row["difference_percent"]
    return (
        str(row["seeds"]),
        written(row["ours"]),
        _interval(row["t_low"], row["t_high"]),
        _interval(row["bootstrap_low"], row["bootstrap_high"]),
        written(row["theirs"]),
        "–" if difference is None else f"{'+' if difference > 0 else ''}{written(difference)}",
        "–" if percent is None else f"{round(percent, 1) + 0:+.1f}",
    )


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{written(low)} … {written(high)}"


def _what_was_run(record: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading("What was run")
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    yield Paragraph(f"Versions: {versions}. Seeds: {', '.join(map(str, record['seeds']))}.")
    if record["sources"]:
        traces = [(name, each["file"], each["sha256"]) for name, each in record["sources"].items()]
        yield Table(("workload", "file", "SHA-256"), traces, 3)
    yield Paragraph(f"{record['file']}:")
    yield Code(record["configuration"], "toml")
