"""The texts behind the codes of a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from schedlab.errors import WorkloadError
from schedlab.workload.workload import Workload

T = TypeVar("T")


def label_of(workload: Workload, column: str, code: int) -> str | None:
    """What the code stands for: its label, or the number itself; None for a code below 0."""
    names = workload.labels.get(column, ())
    return None if code < 0 else names[code] if code < len(names) else str(code)


def parsed_labels(workload: Workload, column: str, parse: Callable[[str], T]) -> list[T | None]:
    """What each job's label says, None where it has none; an error names the job."""
    codes, first = np.unique(workload[column], return_index=True)
    found: dict[int, T | None] = {}
    for code, job in zip(codes.tolist(), first.tolist(), strict=True):
        text = label_of(workload, column, code)
        try:
            found[code] = None if text is None else parse(text)
        except WorkloadError as error:
            raise WorkloadError(f"job {workload['job_id'][job]}: {error}") from None
    return [found[code] for code in workload[column].tolist()]
