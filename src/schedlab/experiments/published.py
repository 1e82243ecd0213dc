"""The published table: what others found for the same cells."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, SchedlabError, UnknownNameError
from schedlab.workload.readers import Source

RELATIVE = "relative_"
"""The prefix of a metric that is divided by its value under the policy of ``relative_to``; a signed
metric is reduced by that value."""

KEYS = ("workload", "variant", "platform", "policy")


@dataclass(frozen=True)
class PublishedRow:
    """The published values of the cells that have these names."""

    names: Mapping[str, str]
    values: Mapping[str, float]

    def speaks_of(self, cell: Mapping[str, Any]) -> bool:
        """Return whether the cell has all the names."""
        return all(cell[key] == name for key, name in self.names.items())


def theirs(rows: Iterable[PublishedRow], cell: Mapping[str, Any], metric: str) -> float | None:
    """Return the published value, if there is one."""
    found = (row.values[metric] for row in rows if metric in row.values and row.speaks_of(cell))
    return next(found, None)


def read_published(
    path: Path, cells: Sequence[Mapping[str, Any]], metrics: Sequence[str]
) -> list[PublishedRow]:
    """Return the rows of a CSV file with some of the columns ``KEYS`` and a column per metric.

    An empty field says that nothing was published. Every row must speak of some cell.
    """
    reader = csv.reader(Source.load(path).decoded().splitlines())
    header = [name.strip() for name in next(reader)]
    for name in header:
        if name not in (*KEYS, *metrics):
            error = UnknownNameError("column", name, (*KEYS, *metrics))
            raise InputError.at(path, 1, str(error))
    known = {key: list(dict.fromkeys(cell[key] for cell in cells)) for key in KEYS}
    rows: list[PublishedRow] = []
    for fields in reader:
        try:
            row = _row(header, [field.strip() for field in fields], known)
            if any(each.names == row.names for each in rows):
                raise InputError("names the same cells as a line above")
            rows.append(row)
        except SchedlabError as error:
            raise InputError.at(path, reader.line_num, str(error)) from None
    return rows


def _row(
    header: Sequence[str], fields: Sequence[str], known: Mapping[str, Sequence[str]]
) -> PublishedRow:
    if len(fields) != len(header):
        raise InputError(f"{len(fields)} fields; must have {len(header)}")
    given = dict(zip(header, fields, strict=True))
    names = {key: given[key] for key in KEYS if key in given}
    for key, name in names.items():
        if name not in known[key]:
            raise UnknownNameError(key, name, known[key])
    values = {key: _number(key, given[key]) for key in given if key not in KEYS and given[key]}
    return PublishedRow(names, values)


def _number(column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f'{column} is "{text}"; must be a number or empty')
    return value
