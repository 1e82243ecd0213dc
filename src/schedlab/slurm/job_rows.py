"""Histories from plain rows: names become codes, and dependencies get the jobs' new numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schedlab.errors import InputError
from schedlab.slurm.site import SlurmHistory
from schedlab.workload.dependencies import KINDS
from schedlab.workload.workload import COLUMNS, Workload

_CODED = ("user", "account", "qos", "partition", "constraint", "licences", "job_name", "gpu_type")
_ID = re.compile(r"(\d+)(?:[_.](\d+))?")
_TASKS = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
JobColumns = dict[str, Any]
"""A job's values by column of a workload; names are texts, ``history_of_rows`` adds job_id."""
JobDetails = dict[str, Any]
"""What only Slurm knows of a job; see ``DETAILS``."""


def history_of_rows(
    rows: Sequence[tuple[JobColumns, JobDetails]],
    name: str,
    epoch_s: int | None,
) -> tuple[SlurmHistory, int]:
    """Return the jobs in order of submission, numbered from 1.

    Also return the number of jobs whose dependencies a workload cannot express; the details have
    them.

    Args:
        rows: a row for each job; at least one.
        name: name of the workload.
        epoch_s: the moment of time 0, if it is known.
    """
    import polars as pl

    rows = sorted(rows, key=lambda row: row[0]["submit_s"])
    codes: dict[str, dict[str, int]] = {column: {} for column in _CODED}
    columns: dict[str, list[Any]] = {}
    for number, (job, _) in enumerate(rows, 1):
        for column, value in {**job, "job_id": number}.items():
            if column in _CODED:
                value = -1 if not value else codes[column].setdefault(value, len(codes[column]))
            columns.setdefault(column, []).append(value)
    labels = {column: list(known) for column, known in codes.items() if known}
    used = {column: values for column, values in columns.items() if _is_told(column, values)}
    header = {} if epoch_s is None else {"UnixStartTime": [str(epoch_s)]}
    details = [{**detail, "job_id": number} for number, (_, detail) in enumerate(rows, 1)]
    texts, vague = _conditions(details)
    if any(texts):
        known = {text: code for code, text in enumerate(dict.fromkeys(filter(None, texts)))}
        used["dependencies"] = [known.get(text or "", -1) for text in texts]
        labels["dependencies"] = list(known)
    workload = Workload(used, name=name, header=header, labels=labels).record("import", of=name)
    table = pl.DataFrame(details, infer_schema_length=None)
    return SlurmHistory(workload, table), vague


def split_id(name: str) -> tuple[int, int | None]:
    """Return the number of a job and that of its task: 1063_3 as Slurm writes it, or 1063.3."""
    match = _ID.fullmatch(name)
    if match is None:
        raise InputError(f"job id {name!r}; must look like 1063 or 1063_3")
    return int(match[1]), None if match[2] is None else int(match[2])


def task_numbers(text: str) -> Iterator[int]:
    """Yield the tasks of an array, as Slurm writes them: 0-9, 1,3,5 or 0-20:4."""
    for piece in text.split(","):
        match = _TASKS.fullmatch(piece)
        if match is None:
            raise InputError(f"array {text!r}; must look like 0-9 or 1,3,5")
        yield from range(int(match[1]), int(match[2] or match[1]) + 1, int(match[3] or 1))


def _conditions(details: Sequence[Mapping[str, Any]]) -> tuple[list[str | None], int]:
    """Return the dependencies of each job, with the workload's numbers of the other jobs.

    None stands for dependencies that a workload cannot express; also return the number of these.
    """
    numbers: dict[str, list[int]] = {}
    for row in details:
        slurm_id = str(row["slurm_id"])
        for name in {slurm_id, re.split("[_.]", slurm_id)[0]}:
            numbers.setdefault(name, []).append(row["job_id"])
    texts = [_dependency(row["dependency"] or "", numbers) for row in details]
    return texts, sum(text is None for text in texts)


def _dependency(text: str, numbers: Mapping[str, list[int]]) -> str | None:
    """Return conditions with the workload's numbers; None if a workload cannot express them."""
    parts = []
    for part in text.split(",") if text else ():
        kind, *others = part.split(":")
        if kind not in KINDS or "?" in part:
            return None
        names = [other.partition("+") for other in others]
        if any(name not in numbers for name, _, _ in names):
            return None
        ids = [f"{each}{plus}{late}" for name, plus, late in names for each in numbers[name]]
        parts.append(":".join((kind, *ids)))
    return ",".join(parts)


def _is_told(column: str, values: Sequence[Any]) -> bool:
    usual = COLUMNS[column].missing
    return usual is None or any(value != usual for value in values)
