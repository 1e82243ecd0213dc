"""The record of what an evolution has measured, with which it can be resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.errors import InputError
from schedlab.workload.readers import Source

KIND = "schedlab evolution"


@dataclass(frozen=True)
class Generation:
    """The costs of the candidates in the order in which they were drawn, and of their mean.

    The candidates themselves need not be kept: with the same seed and the costs of all earlier
    generations, CMA-ES draws the same candidates again.
    """

    costs: tuple[float, ...]
    validation: float


def record_path(out: Path) -> Path:
    """Return the path of the record, beside the policy."""
    return out.with_suffix(".generations.json")


def write_record(
    path: Path, determined_by: Mapping[str, Any], generations: Sequence[Generation]
) -> None:
    """Write the record, whole or not at all."""
    document = {
        "kind": KIND,
        "determined_by": determined_by,
        "generations": [asdict(each) for each in generations],
    }
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(document) + "\n", encoding="utf-8")


def read_record(path: Path, determined_by: Mapping[str, Any], population: int) -> list[Generation]:
    """Return the recorded generations; refuse a record that something else determined."""
    kept, generations = _parsed(path)
    for key, value in determined_by.items():
        if kept.get(key) != value:
            raise InputError(
                f"{path}: was made with {key} = {kept.get(key)!r}, not {value!r}; "
                "start again in another file"
            )
    if any(len(each.costs) != population for each in generations):
        raise _damaged(path)
    return generations


def _parsed(path: Path) -> tuple[Mapping[str, Any], list[Generation]]:
    try:
        document = json.loads(Source.load(path).decoded())
        if document["kind"] != KIND:
            raise _damaged(path)
        generations = [
            Generation(tuple(map(float, each["costs"])), float(each["validation"]))
            for each in document["generations"]
        ]
        return dict(document["determined_by"]), generations
    except (KeyError, TypeError, ValueError):
        raise _damaged(path) from None


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: is damaged, or no record of an evolution")
