"""Find the traces of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from schedlab.errors import InputError
from schedlab.experiments.config import WorkloadSection
from schedlab.workload.catalog import catalogued
from schedlab.workload.fetch import find
from schedlab.workload.readers.source import plain_name


def locate(
    workloads: Iterable[WorkloadSection], folder: Path, data: Path | None
) -> dict[str, Path]:
    """Return the file of each workload that has one, by the workload's name.

    Files are looked for in ``data``, then in the experiment's folder; traces of the catalog in
    ``data``, then among those fetched. Missing files are an error at once.
    """
    if data is not None and not data.is_dir():
        raise InputError(f"{data}: no such folder; must hold the traces of the experiment")
    found, missing = {}, []
    for workload in workloads:
        if workload.generate is not None:
            continue
        path = next((each for each in _places(workload, folder, data) if each.is_file()), None)
        if path is None:
            missing.append(_absent(workload, data))
        else:
            found[workload.name] = path
    if missing:
        raise InputError("; ".join(dict.fromkeys(missing)))
    return found


def _places(workload: WorkloadSection, folder: Path, data: Path | None) -> Iterator[Path]:
    if workload.file is not None:
        yield from (base / workload.file for base in (data, folder) if base is not None)
    if workload.catalog is not None:
        name = catalogued(workload.catalog).file_name
        if data is not None:
            yield from (data / name, data / plain_name(Path(name)))
        fetched = find(workload.catalog)
        if fetched is not None:
            yield fetched


def _absent(workload: WorkloadSection, data: Path | None) -> str:
    file = workload.file or catalogued(str(workload.catalog)).file_name
    what = f'workload "{workload.name}" needs {file}'
    if data is not None:
        what += f", which is not in {data}"
    if workload.catalog is None:
        return f"{what}; give with --data the folder that holds it"
    fetch = f"fetch it with: schedlab workload fetch {workload.catalog}"
    return f"{what}; {fetch}, or give with --data the folder that holds it"
