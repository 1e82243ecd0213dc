"""Workloads of the simulator Batsim: jobs that occupy their hosts for a delay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from schedlab.history.export.exporter import Exporter, Extent, Record, lines_of
from schedlab.workload.job_history import HistoryTable

_JOBS = 20_000
_KEYS = {"id": "job_id", "subtime": "submit_s", "res": "nodes", "walltime": "request_s"}


class BatsimJsonExporter(Exporter):
    """Writes the jobs that ran, then a profile for each of their run times."""

    suffixes = (".batsim.json",)

    def write(self, records: Iterable[Record], path: Path, extent: Extent) -> None:
        """Write the jobs as they come, and at the end the profiles, which are far fewer."""
        table, records, run_times = HistoryTable(frozenset()), iter(records), set()
        with path.open("w", encoding="utf-8") as stream:
            stream.write(f'{{"nb_res": {extent.nodes}, "jobs": [')
            separator = "\n"
            while some := list(islice(records, _JOBS)):
                for job, run_s in _jobs(table, some):
                    run_times.add(run_s)
                    stream.write(separator + json.dumps(job))
                    separator = ",\n"
            profiles = {_profile(run_s): _delay(run_s) for run_s in sorted(run_times)}
            stream.write(f'\n], "profiles": {json.dumps(profiles)}}}\n')

    def texts(self, path: Path) -> Iterator[str]:
        """Return the lines of the file."""
        return lines_of(path)


def _jobs(table: HistoryTable, records: list[Record]) -> Iterator[tuple[dict[str, object], int]]:
    columns = table.columns(records)
    if not columns:
        return
    names = [*_KEYS.values(), "run_s", "energy_j"]
    for *values, run_s, energy_j in zip(*(columns[name].tolist() for name in names), strict=True):
        if run_s < 0:
            continue
        job: dict[str, object] = dict(zip(_KEYS, values, strict=True))
        if job["walltime"] == -1:
            del job["walltime"]
        job["profile"] = _profile(run_s)
        if energy_j == energy_j:
            job["energy_j"] = energy_j
        yield job, run_s


def _profile(run_s: int) -> str:
    return f"delay_{run_s}"


def _delay(run_s: int) -> dict[str, object]:
    return {"type": "delay", "delay": run_s}
