"""Problems as TOML and JSON files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.coalloc.problem import CoallocJob, Problem

Plain = dict[str, Any]


def write_problem(problem: Problem, path: str | Path) -> None:
    """Write what ``read_problem`` reads; ``.json`` is JSON, everything else TOML."""
    document = to_plain(problem)
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(document, indent=2, ensure_ascii=False)
    else:
        text = "\n".join(_toml(document))
    with atomic_write(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def to_plain(problem: Problem) -> Plain:
    """Return the problem as plain values, in the layout of the files."""
    return {
        "name": problem.name,
        **({"origin": problem.origin} if problem.origin else {}),
        "slots": problem.slots,
        "resources": list(problem.resources),
        "job": [_plain_job(problem, job) for job in problem.jobs],
    }


def _plain_job(problem: Problem, job: CoallocJob) -> Plain:
    """Return what differs from the defaults, and what has none."""
    names = [problem.resources[place] for place in job.resources]
    plain: Plain = {"name": job.name, "resources": names, "slots": job.slots, "value": job.value}
    if job.release != 1:
        plain["release"] = job.release
    if job.deadline is not None:
        plain["deadline"] = job.deadline
    return plain


def _toml(document: Plain) -> Iterator[str]:
    head = {key: value for key, value in document.items() if key != "job"}
    yield from _pairs(head)
    for job in document["job"]:
        yield from ("", "[[job]]", *_pairs(job))


def _pairs(section: Mapping[str, Any]) -> Iterator[str]:
    for key, value in section.items():
        # TOML's strings, numbers and lists are JSON's, but for the delete character.
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
