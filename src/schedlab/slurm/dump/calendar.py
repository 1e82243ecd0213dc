"""Reservations and node events of a dump, on the clock of its history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from schedlab.errors import InputError
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.platform.intervals import Drain, NodeInterval, Outage, Reservation
from schedlab.slurm.dump.conf import Block
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.dump.values import is_unset, words
from schedlab.slurm.layout import ReservationRules

_NEVER = ("", "Unknown", "None", "NONE", "N/A", "0")
_RESERVATION_KEYS = frozenset(
    {"starttime", "endtime", "duration", "nodes", "users", "accounts", "flags"}
    | {"partitionname", "corecnt", "features", "licenses", "nodecnt", "tres", "state"}
)


@dataclass(frozen=True)
class Calendar:
    """When nodes are not open to all jobs."""

    outages: tuple[Outage, ...] = ()
    drains: tuple[Drain, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    rules: tuple[ReservationRules, ...] = ()


def moment(text: str, where: str) -> int | None:
    """Return epoch seconds of ``1794813633`` or ``2026-11-16T07:20:33``, which is in UTC."""
    if text.strip() in _NEVER:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise InputError(
            f"{where}: {text!r} is not a time; must look like 2026-11-15T09:00:00"
        ) from None


def reservations_of(
    blocks: Sequence[Block], epoch_s: int, nodes: Collection[str], report: ImportReport
) -> tuple[list[Reservation], list[ReservationRules]]:
    """Return the reservations of ``scontrol show reservation``."""
    found: list[Reservation] = []
    rules: list[ReservationRules] = []
    for block in blocks:
        _tell(block, report)
        begin = moment(block.text("StartTime") or "", block.where)
        end = moment(block.text("EndTime") or "", block.where)
        hosts = [each for each in expand_hosts(_text(block, "Nodes") or "") if each in nodes]
        span = _span(begin, end, epoch_s)
        if span is None or not hosts:
            report.note(f'{block.where}: reservation "{block.name}" has no time or nodes here.')
            continue
        flags = words(_text(block, "Flags") or "")
        users, accounts = (words(_text(block, key) or "") for key in ("Users", "Accounts"))
        if "MAINT" in flags:
            users = accounts = ()
        found.append(Reservation(*span, fold_hosts(hosts), block.name, users, accounts))
        cores = _text(block, "CoreCnt")
        rules.append(
            ReservationRules(
                block.name,
                flags,
                _text(block, "PartitionName"),
                int(cores) if cores and cores.isdecimal() else None,
                _text(block, "Features"),
                _text(block, "Licenses"),
            )
        )
    return found, rules


def node_events(
    path: Path, epoch_s: int, nodes: Collection[str], report: ImportReport
) -> tuple[list[Outage], list[Drain]]:
    """Return outages and drains of ``sacctmgr -P show event`` that reach into the history."""
    outages: list[Outage] = []
    drains: list[Drain] = []
    for where, row in read_table(path, "nodename", "timestart"):
        begin, end = (moment(row.get(key, ""), where) for key in ("timestart", "timeend"))
        span = _span(begin, end, epoch_s)
        state = row.get("state", "").upper()
        if row["nodename"] not in nodes or span is None:
            continue
        about = (*span, row["nodename"], row.get("reason", ""))
        if "DRAIN" in state or "MAINT" in state:
            drains.append(Drain(*about))
        elif "DOWN" in state or "FAIL" in state or not state:
            outages.append(Outage(*about))
        else:
            report.note(f"{where}: node state {row['state']} is not modelled as an outage.")
    meaning = "Outages and drains of the machine."
    report.add("node events", f"{len(outages) + len(drains)}", path.name, MODELLED, meaning)
    return outages, drains


def down_lines(blocks: Sequence[Block], nodes: Collection[str]) -> list[NodeInterval]:
    """Return the nodes that are out in slurm.conf: DownNodes, or State of a NodeName line."""
    found: list[NodeInterval] = []
    for block in blocks:
        state = (block.text("State") or "DOWN").upper()
        hosts = [each for each in expand_hosts(block.name) if each in nodes]
        if not hosts or state in ("UNKNOWN", "IDLE", "UP", "CLOUD"):
            continue
        kind = Outage if state.startswith(("DOWN", "FUTURE")) else Drain
        found.append(kind(0, None, fold_hosts(hosts), block.text("Reason") or state))
    return found


def _span(begin: int | None, end: int | None, epoch_s: int) -> tuple[int, int | None] | None:
    if begin is None or (end is not None and (end <= epoch_s or end <= begin)):
        return None
    return max(begin - epoch_s, 0), None if end is None else end - epoch_s


def _text(block: Block, key: str) -> str | None:
    text = block.text(key)
    return None if text is None or is_unset(text) else text


def _tell(block: Block, report: ImportReport) -> None:
    for key, entry in block.entries.items():
        name = f"Reservation.{entry.key}"
        if any(each.name == name for each in report.findings):
            continue
        if key in _RESERVATION_KEYS:
            report.add(name, entry.value, entry.where, MODELLED, "Part of the reservations.")
        elif is_unset(entry.value):
            report.add(name, entry.value, entry.where, HARMLESS, "It is not set.")
        else:
            meaning = "The twin's reservations do not have it."
            report.add(name, entry.value, entry.where, NOT_MODELLED, meaning)
