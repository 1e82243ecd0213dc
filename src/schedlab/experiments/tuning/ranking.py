"""The ranking of settings as files."""

from __future__ import annotations

import csv
import io
import json
import platform as host
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.experiments.document import Block, Code, Heading, Paragraph, Table, as_markdown
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.space import name_of, written
from schedlab.experiments.tuning.training_task import LIBRARIES
from schedlab.experiments.tuning.trainings import TRAININGS
from schedlab.experiments.tuning.trial import Trial
from schedlab.sections import as_toml
from schedlab.version import __version__

Row = dict[str, Any]

FILES = ("ranking.csv", "ranking.json", "ranking.md")


def write_ranking(
    tuning: Tuning, trials: Sequence[Trial], left_out: Mapping[str, str], folder: Path
) -> None:
    """Write ``FILES``."""
    rows, record = ranking_rows(tuning, trials), _record(tuning, left_out)
    document = json.dumps({**record, "trials": rows}, indent=1, ensure_ascii=False) + "\n"
    texts = (_csv(rows), document, as_markdown(list(_blocks(rows, record))))
    for name, text in zip(FILES, texts, strict=True):
        with atomic_write(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def ranking_rows(tuning: Tuning, trials: Sequence[Trial]) -> list[Row]:
    """Return one row per setting, best first; those given up or failed have no rank."""
    return [
        {
            "rank": place if trial.ranked else None,
            **{each.key: trial.setting[each.key] for each in tuning.space.parameters},
            "steps": trial.steps,
            "mean": trial.mean,
            "spread": trial.spread,
            "outcome": _outcome(trial),
            "runs": [
                {**asdict(run), "folder": f"{TRAININGS}/{run.folder.name}"} for run in trial.runs
            ],
        }
        for place, trial in enumerate(trials, 1)
    ]


def _outcome(trial: Trial) -> str:
    if trial.mean is None:
        return "failed"
    return "given up" if trial.given_up else "trained"


def _record(tuning: Tuning, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return everything about the search but its trials."""
    about = tuning.about
    libraries = (*LIBRARIES, "optuna") if about.trials else LIBRARIES
    return {
        "tune": asdict(about),
        "seeds": list(about.seeds),
        "larger_is_better": about.larger_is_better,
        "space": [
            {"section": each.section, "key": each.key, "values": _domain(each.domain)}
            for each in tuning.space.parameters
        ],
        "training": tuning.training.document(),
        "left_out": dict(left_out),
        "versions": {
            "schedlab": __version__,
            **{name: version(name) for name in libraries},
            "python": host.python_version(),
        },
    }


def _domain(domain: Any) -> Any:
    return list(domain) if isinstance(domain, tuple) else asdict(domain)


def _csv(rows: Sequence[Row]) -> str:
    """Write runs as columns named by their seeds."""
    flat = [
        {
            **{key: _cell(value) for key, value in row.items() if key != "runs"},
            **{f"seed {run['seed']}": run["score"] for run in row["runs"]},
        }
        for row in rows
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(flat[0]) if flat else ["rank"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return written(value) if isinstance(value, tuple) else value


def _blocks(rows: Sequence[Row], record: Mapping[str, Any]) -> Iterator[Block]:
    about, count = record["tune"], len(record["seeds"])
    best = "largest" if record["larger_is_better"] else "smallest"
    yield Heading(f"Tuning of {about['training']}", 1)
    yield Paragraph(
        f"Ranked by the mean of {about['score']}, {best} first, over {count} runs; "
        "the spread is the standard deviation over runs."
    )
    if record["left_out"]:
        name, reason = next(iter(record["left_out"].items()))
        yield Paragraph(f"Left out: {len(record['left_out']):,}, such as {name}: {reason}.")
    parameters = [each["key"] for each in record["space"]]
    seeds = [f"seed {seed}" for seed in record["seeds"]]
    headings = ("rank", *parameters, "outcome", "mean", "spread", *seeds)
    yield Table(headings, [_line(row, parameters) for row in rows], len(parameters) + 2)
    for row in rows:
        name = name_of({key: row[key] for key in parameters})
        failed = (run for run in row["runs"] if run["error"])
        yield from (
            Paragraph(f"Failed: {name} seed={run['seed']}: {run['error']}") for run in failed
        )
    versions = ", ".join(f"{name} {each}" for name, each in record["versions"].items())
    yield Paragraph(f"Versions: {versions}.")
    yield Code(as_toml({"tune": about, **record["training"]}), "toml")


def _line(row: Row, parameters: Sequence[str]) -> list[str]:
    numbers = (row["mean"], row["spread"], *(run["score"] for run in row["runs"]))
    return [
        "–" if row["rank"] is None else str(row["rank"]),
        *(written(row[key]) for key in parameters),
        row["outcome"],
        *("–" if each is None else f"{each:,.5g}" for each in numbers),
    ]
