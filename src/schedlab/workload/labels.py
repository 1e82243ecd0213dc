"""The texts behind the codes of a column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from schedlab.errors import WorkloadError
from schedlab.workload.workload import Workload

T = TypeVar("T")

_NUMBERED = re.compile(r"\s*(\d+)\s+(\w[^\s;,]*)", re.ASCII)


def label_of(workload: Workload, column: str, code: int) -> str | None:
    """Return what the code stands for; None for a code below 0.

    Without labels it is the name in a header such as ``; Partition: 3 batch``, or the number.
    """
    names = workload.labels.get(column, ())
    if code < 0:
        return None
    return (
        names[code] if code < len(names) else _header_names(workload, column).get(code, str(code))
    )


def has_names(workload: Workload, column: str) -> bool:
    """Return whether codes of the column stand for names, by labels or by the header."""
    return column in workload.labels or bool(_header_names(workload, column))


def _header_names(workload: Workload, column: str) -> dict[int, str]:
    found = (_NUMBERED.match(line) for line in workload.header.get(column.capitalize(), ()))
    return {int(match[1]): match[2] for match in found if match}


def parsed_labels(workload: Workload, column: str, parse: Callable[[str], T]) -> list[T | None]:
    """Return what each job's label says, None where it has none; an error names the job."""
    if column not in workload:
        return [None] * len(workload)
    codes, first = np.unique(workload[column], return_index=True)
    found: dict[int, T | None] = {}
    for code, job in zip(codes.tolist(), first.tolist(), strict=True):
        text = label_of(workload, column, code)
        try:
            found[code] = None if text is None else parse(text)
        except WorkloadError as error:
            raise WorkloadError(f"job {workload['job_id'][job]}: {error}") from None
    return [found[code] for code in workload[column].tolist()]
