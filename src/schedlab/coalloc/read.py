"""Problems from TOML and JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.coalloc.problem import CoallocJob, Problem
from schedlab.errors import InputError, SchedlabError, UnknownNameError
from schedlab.sections import build, build_each, parse_toml
from schedlab.workload.readers.source import Source


@dataclass(frozen=True)
class JobSection:
    """One ``[[job]]``; its resources are named."""

    name: str
    resources: tuple[str, ...]
    slots: int
    value: float = 1.0
    release: int = 1
    deadline: int | None = None


@dataclass(frozen=True)
class ProblemSection:
    """The keys above the jobs."""

    resources: tuple[str, ...]
    slots: int
    name: str | None = None
    origin: str = ""


def read_problem(path: str | Path) -> Problem:
    """Return the problem in a file; ``.json`` is JSON, everything else TOML."""
    source = Source.load(path)
    parse = _parse_json if source.suffix == ".json" else parse_toml
    document = parse(path, source.decoded())
    try:
        return _problem(document, source.stem)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _parse_json(path: str | Path, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError.at(path, error.lineno, f"not JSON: {error.msg}") from None


def _problem(document: Any, default_name: str) -> Problem:
    if not isinstance(document, Mapping):
        raise InputError("holds no object; must have resources, slots and job")
    sections = build_each(JobSection, document.get("job", []), "[[job]]")
    head = {key: value for key, value in document.items() if key != "job"}
    about = build(ProblemSection, head, "the problem")
    places = {name: place for place, name in enumerate(about.resources)}
    return Problem(
        about.resources,
        tuple(_job(section, places) for section in sections),
        about.slots,
        name=about.name or default_name,
        origin=about.origin,
    )


def _job(section: JobSection, places: Mapping[str, int]) -> CoallocJob:
    for name in section.resources:
        if name not in places:
            raise UnknownNameError(f'resource of job "{section.name}"', name, places)
    return CoallocJob(
        section.name,
        tuple(places[name] for name in section.resources),
        section.slots,
        section.value,
        section.release,
        section.deadline,
    )
