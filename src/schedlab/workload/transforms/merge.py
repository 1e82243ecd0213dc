"""Several workloads as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.dependencies import dependencies_text, parse_dependencies
from schedlab.workload.labels import parsed_labels
from schedlab.workload.workload import COLUMNS, Workload

Ids = NDArray[np.int64]


def merge(*workloads: Workload, name: str | None = None) -> Workload:
    """Return the jobs of all the workloads, in order of submission.

    A job whose number an earlier argument already uses gets a new one, above all in use, and
    dependencies follow. Users, groups and the like are the same if their labels are, or without
    labels their numbers. The headers, which describe different machines, are left behind.
    """
    if not workloads:
        raise ParameterError("nothing to merge; give at least one workload")
    ids = _distinct_ids(workloads)
    origins = [_origin(part) for part in workloads]
    workloads = _told_apart(workloads, ids)
    labels = {column: _united(column, workloads) for column in _labelled_columns(workloads)}
    columns = {
        column: np.concatenate([_recoded(part, column, labels.get(column)) for part in workloads])
        for column in COLUMNS
        if any(column in part for part in workloads)
    }
    columns["job_id"] = np.concatenate(ids)
    if "depends_on" in columns:
        columns["depends_on"] = np.concatenate(
            [_followed(part, new) for part, new in zip(workloads, ids, strict=True)]
        )
    made = Workload(columns, name=name or "+".join(part.name for part in workloads), labels=labels)
    return made.record("merge", of=origins)


def _distinct_ids(workloads: Sequence[Workload]) -> list[Ids]:
    """Return the job numbers of each workload, new ones where they are taken."""
    free = 1 + max((int(part["job_id"].max()) for part in workloads if len(part)), default=0)
    taken = np.empty(0, dtype=np.int64)
    distinct = []
    for part in workloads:
        ids = part["job_id"].copy()
        clash = np.isin(ids, taken)
        ids[clash] = free + np.arange(clash.sum())
        free += int(clash.sum())
        taken = np.concatenate([taken, ids])
        distinct.append(ids)
    return distinct


def _followed(part: Workload, new_ids: Ids) -> Ids:
    """Return the new number of the job each job waits for.

    A dependency on an unknown job is dropped.
    """
    place = part.dependency_index()
    return np.where(place >= 0, new_ids[place], -1)


def _told_apart(workloads: Sequence[Workload], ids: Sequence[Ids]) -> tuple[Workload, ...]:
    """Return the workloads with distinct array numbers, and conditions on the new job numbers."""
    parts, arrays = [], 0
    for part, new_ids in zip(workloads, ids, strict=True):
        if "array" in part:
            own = part["array"]
            part = part.replace(array=np.where(own >= 0, own + arrays, -1))
            arrays = int(part["array"].max(initial=arrays)) + 1
        if "dependencies" in part:
            part = _with_conditions(part, new_ids)
        parts.append(part)
    return tuple(parts)


def _with_conditions(part: Workload, new_ids: Ids) -> Workload:
    """Return the part with dependencies on the new numbers; one on an unknown job is dropped."""
    new = dict(zip(part["job_id"].tolist(), new_ids.tolist(), strict=True))
    texts = [
        dependencies_text(
            replace(each, job_id=new.get(each.job_id, -1))
            for each in conditions or ()
            if each.kind == "singleton" or each.job_id in new
        )
        for conditions in parsed_labels(part, "dependencies", parse_dependencies)
    ]
    names = {text: code for code, text in enumerate(dict.fromkeys(filter(None, texts)))}
    codes = np.array([names.get(text, -1) for text in texts], dtype=np.int64)
    changed = part.replace(dependencies=codes)
    changed.labels["dependencies"] = tuple(names)
    return changed


def _labelled_columns(workloads: Sequence[Workload]) -> list[str]:
    return sorted({column for part in workloads for column in part.labels})


def _united(column: str, workloads: Sequence[Workload]) -> tuple[str, ...]:
    """Return every label of the column once, in order of appearance.

    A bare number is its own label.
    """
    labels = (label for part in workloads for label in _labels(part, column).values())
    return tuple(dict.fromkeys(labels))


def _labels(part: Workload, column: str) -> dict[int, str]:
    """Return the label of each code in one workload."""
    if column in part.labels:
        return dict(enumerate(part.labels[column]))
    return {code: str(code) for code in np.unique(part[column]).tolist() if code >= 0}


def _recoded(part: Workload, column: str, united: Sequence[str] | None) -> NDArray[np.generic]:
    """Return the column, its codes pointing into the united labels."""
    if united is None:
        return part[column]
    labels = _labels(part, column)
    place = {label: code for code, label in enumerate(united)}
    old, where = np.unique(part[column], return_inverse=True)
    new = [place[labels[code]] if code in labels else -1 for code in old.tolist()]
    return np.array(new, dtype=np.int64)[where]


def _origin(part: Workload) -> dict[str, object]:
    return {"name": part.name, "jobs": len(part), "provenance": list(part.provenance)}
