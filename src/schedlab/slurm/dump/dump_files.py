"""The files of a dump: their names, and what each is read for."""

from __future__ import annotations

from pathlib import Path

from schedlab.errors import InputError
from schedlab.slurm.dump.findings import ImportReport

_NAMES: dict[str, tuple[tuple[str, ...], str]] = {
    "conf": (("slurm.conf",), "parameters, nodes and partitions"),
    "gres": (("gres.conf",), "types of GPUs"),
    "topology": (("topology.conf",), "switches"),
    "config": (("scontrol-config.txt", "config.txt"), "parameters of the running slurmctld"),
    "nodes": (("scontrol-nodes.txt",), "nodes, where slurm.conf has none"),
    "partitions": (("scontrol-partitions.txt",), "partitions, where slurm.conf has none"),
    "reservations": (("scontrol-reservations.txt",), "reservations"),
    "script": (("sacctmgr-dump.cfg", "sacctmgr.script"), "accounts and users"),
    "associations": (("sacctmgr-assoc.txt", "assoc.txt"), "accounts, users and their limits"),
    "qos": (("sacctmgr-qos.txt", "qos.txt"), "QOS"),
    "usage": (("sshare.txt",), "what users have used"),
    "events": (("sacctmgr-events.txt",), "outages and drains of nodes"),
    "sacct": (("sacct.csv", "sacct.txt", "sacct.json"), "the history"),
    "submitted": (("submitted.csv",), "what was submitted, job by job"),
    "starts": (("starts.csv",), "exact starts"),
    "commands": (("events.csv",), "commands given meanwhile"),
    "log": (("slurmctld.log",), "when the schedulers ran"),
    "clock": (("t0.txt",), "when slurmctld and the history began"),
}


class DumpFiles:
    """The files of a dump folder by kind; they may be compressed with gzip."""

    def __init__(self, folder: Path, report: ImportReport) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
        self.folder = folder
        self._found: dict[str, Path] = {}
        for kind, (names, meaning) in _NAMES.items():
            for name in (each for plain in names for each in (plain, f"{plain}.gz")):
                path = folder / name
                if path.is_file() and path.stat().st_size and kind not in self._found:
                    self._found[kind] = path
                    report.files[name] = meaning
        known = {path.name for path in self._found.values()}
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name not in known:
                included = path.suffix == ".conf"
                report.files[path.name] = (
                    "read if slurm.conf includes it" if included else "not read"
                )
        if "conf" not in self._found and not {"nodes", "partitions"} <= self._found.keys():
            raise InputError(
                f"{folder}: has no slurm.conf, and not both scontrol-nodes.txt and "
                "scontrol-partitions.txt; collect them with: schedlab slurm script"
            )

    def get(self, kind: str) -> Path | None:
        """Return the file of that kind, if there is one."""
        return self._found.get(kind)
