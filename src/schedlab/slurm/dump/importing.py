"""The import of a dump: one function reads all files in order and returns the site."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.errors import InputError
from schedlab.platform.cluster import Cluster
from schedlab.platform.intervals import Drain, Outage
from schedlab.platform.platform import Platform
from schedlab.slurm.accounts import Accounts
from schedlab.slurm.dump.accounts import (
    AccountBook,
    read_account_script,
    read_association_table,
    read_qos_table,
)
from schedlab.slurm.dump.calendar import Calendar, down_lines, node_events, reservations_of
from schedlab.slurm.dump.conf import Block, SlurmConf, conf_texts, read_blocks, read_conf
from schedlab.slurm.dump.dump_files import DumpFiles
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.history import (
    Record,
    base_id,
    commands_of,
    history_of,
    read_extras,
)
from schedlab.slurm.dump.log import clocks_of_log, submissions_of_log
from schedlab.slurm.dump.machine import groups_of, layouts_of, licences_of, partitions_of
from schedlab.slurm.dump.nodes import Node, nodes_of, with_gres_types
from schedlab.slurm.dump.sacct_extras import is_json
from schedlab.slurm.dump.settings import settings_of
from schedlab.slurm.dump.shown import read_config, read_shown
from schedlab.slurm.dump.submitted import exact_starts, submitted_history, truth_of
from schedlab.slurm.dump.topology import leaf_of, switches_of
from schedlab.slurm.dump.usage import with_usage
from schedlab.slurm.layout import Switch
from schedlab.slurm.parameters import SlurmParameters
from schedlab.slurm.site import SlurmHistory, SlurmSite
from schedlab.workload.readers.source import Source, decode

if TYPE_CHECKING:
    import polars as pl

Accounting = Callable[[Path], tuple[Sequence[Record], Sequence[object]]]
"""A reader of ``sacct`` output, text or JSON: returns job records, and rows it could not read."""
LATEST_S = 60.0
"""A log line further than this from a job's submission is about another job of that number."""


def import_dump(
    folder: str | Path,
    accounting: Accounting,
    *,
    version: str | None = None,
    skip_unknown: bool = False,
) -> tuple[SlurmSite, ImportReport]:
    """Return the site that a dump describes, and a report on all that was read.

    Args:
        folder: the dump.
        accounting: reads the output of ``sacct``.
        version: the version of Slurm. Default: the one in the dump.
        skip_unknown: whether to leave out jobs of unknown partitions; they are an error otherwise.
    """
    report = ImportReport()
    files = DumpFiles(Path(folder), report)
    path = files.get("conf")
    conf = read_conf(path) if path else SlurmConf(files.folder)
    for entry in conf.replaced:
        report.note(
            f"{entry.where}: {entry.key}={entry.value} is set again later; that one counts."
        )
    config = read_config(path) if (path := files.get("config")) else {}
    name = conf.cluster_name
    if "clustername" in config and "clustername" not in conf.parameters:
        name = config["clustername"].value
    parameters = settings_of(conf.parameters, config, name, report, version)
    nodes, switches = _nodes(files, conf, report)
    blocks = conf.partitions or _shown(files, "partitions", "PartitionName")
    partitions = partitions_of(blocks, conf.node_sets, nodes, parameters, report)
    history, epoch_s, boot_s = _history(files, accounting, report)
    if boot_s is not None and parameters.control.boot_epoch_s is None:
        control = replace(parameters.control, boot_epoch_s=boot_s)
        parameters = replace(parameters, control=control)
    calendar = _calendar(files, conf, epoch_s, nodes, report)
    licences = licences_of(conf.parameters.get("licenses") or config.get("licenses"), report)
    cluster = Cluster(
        name,
        groups_of(nodes),
        partitions=partitions.plain,
        outages=calendar.outages,
        drains=calendar.drains,
        reservations=calendar.reservations,
    )
    if history is not None:
        history = _with_clocks(files, history, epoch_s, parameters, report)
        history = _known_partitions(history, cluster, report, skip_unknown)
    else:
        report.note("The dump has no history: no sacct file, and no submitted.csv.")
    site = SlurmSite(
        Platform((cluster,), name, licences),
        parameters,
        _accounts(files, name, report),
        partitions.rules,
        layouts_of(nodes),
        tuple(switches),
        calendar.rules,
        history,
        conf_texts(path) if (path := files.get("conf")) else {},
    )
    if path := files.get("usage"):
        site = with_usage(site, path, report)
    return site, report


def _nodes(
    files: DumpFiles, conf: SlurmConf, report: ImportReport
) -> tuple[list[Node], Sequence[Switch]]:
    blocks = conf.nodes or _shown(files, "nodes", "NodeName")
    nodes = nodes_of(blocks, report)
    if not nodes:
        raise InputError(f"{conf.path}: describes no nodes; it needs a NodeName line")
    if path := files.get("gres"):
        nodes = with_gres_types(nodes, read_blocks(path, "nodename"), report)
    for block in conf.frontends:
        report.note(f"{block.where}: FrontendName is not modelled; jobs start on their nodes.")
    switches: Sequence[Switch] = ()
    if path := files.get("topology"):
        lines = read_blocks(path, "switchname")
        switches = switches_of(lines, {node.name for node in nodes}, report)
    leaves = leaf_of(switches)
    return [replace(node, switch=leaves.get(node.name, "")) for node in nodes], switches


def _shown(files: DumpFiles, kind: str, first: str) -> list[Block]:
    path = files.get(kind)
    return read_shown(path, first) if path else []


def _accounts(files: DumpFiles, cluster: str, report: ImportReport) -> Accounts:
    book = AccountBook(report)
    if path := files.get("script"):
        read_account_script(path, cluster, book)
    if path := files.get("associations"):
        read_association_table(path, cluster, book)
    if path := files.get("qos"):
        read_qos_table(path, book)
    if not book.associations:
        report.note("The dump has no accounts; every user may use everything, without fair share.")
    return book.accounts()


def _calendar(
    files: DumpFiles, conf: SlurmConf, epoch_s: int, nodes: Sequence[Node], report: ImportReport
) -> Calendar:
    known = {node.name for node in nodes}
    out = down_lines([*conf.down, *(b for b in conf.nodes if b.text("State"))], known)
    outages = [each for each in out if isinstance(each, Outage)]
    drains = [each for each in out if isinstance(each, Drain)]
    if path := files.get("events"):
        events = node_events(path, epoch_s, known, report)
        outages, drains = outages + events[0], drains + events[1]
    shown = _shown(files, "reservations", "ReservationName")
    reservations, rules = reservations_of(shown, epoch_s, known, report)
    return Calendar(tuple(outages), tuple(drains), tuple(reservations), tuple(rules))


def _history(
    files: DumpFiles, accounting: Accounting, report: ImportReport
) -> tuple[SlurmHistory | None, int, int | None]:
    """Return the jobs, the moment of their time 0, and when slurmctld began."""
    sacct, submitted = files.get("sacct"), files.get("submitted")
    records, faults = accounting(sacct) if sacct else ((), ())
    extras = read_extras(sacct) if sacct else {}
    if sacct is not None:
        _tell_holes(sacct, records, faults, extras, report)
    clock = _clock(files.get("clock"))
    zero_s, boot_s = clock.get("t0_epoch"), clock.get("ctld_boot_epoch")
    epoch_s = None if zero_s is None else math.floor(zero_s)
    late_s = 0.0 if zero_s is None else zero_s % 1  # histories begin at whole seconds
    history: SlurmHistory | None = None
    if submitted is not None:
        truth: dict[str, Any] = truth_of(records, extras, epoch_s or 0) if sacct else {}
        if path := files.get("starts"):
            for name, exact in exact_starts(path, late_s).items():
                truth[name] = {**truth.get(name, {}), **exact}
        history = submitted_history(submitted, truth, epoch_s, report, late_s)
    elif sacct is not None and records:
        history = history_of(records, extras, sacct, report)
        epoch_s = history.epoch_s
    elif sacct is not None:
        report.note(f"{sacct.name}: has no jobs.")
    if history is not None and (path := files.get("commands")):
        history = SlurmHistory(history.workload, history.details, commands_of(path, late_s))
    return history, epoch_s or 0, None if boot_s is None else int(boot_s)


def _with_clocks(
    files: DumpFiles,
    history: SlurmHistory,
    epoch_s: int,
    parameters: SlurmParameters,
    report: ImportReport,
) -> SlurmHistory:
    if (path := files.get("log")) is None:
        return history
    last_s = float(history.workload["submit_s"].max())
    clocks = clocks_of_log(path, epoch_s, last_s, parameters, report)
    details = history.details
    if clocks is not None:
        details = _with_submissions(details, submissions_of_log(path, epoch_s))
        clocks = clocks.since(history.begin_s, parameters)
    return SlurmHistory(history.workload, details, history.commands, clocks)


def _with_submissions(details: pl.DataFrame, known: Mapping[str, float]) -> pl.DataFrame:
    """Take submissions from slurmctld's log, where it shows when slurmctld knew of the job."""
    import polars as pl

    moments = []
    for name, submit_s in details.select("slurm_id", "submit_s").iter_rows():
        moment_s = known.get(name.partition("_")[0])
        is_its = moment_s is not None and abs(moment_s - submit_s) < LATEST_S
        moments.append(moment_s if is_its else submit_s)
    return details.with_columns(pl.Series("submit_s", moments, dtype=pl.Float64))


def _tell_holes(
    path: Path,
    records: Sequence[Record],
    faults: Sequence[object],
    extras: Mapping[str, Mapping[str, str]],
    report: ImportReport,
) -> None:
    if faults:
        report.note(f"{path.name}: {len(faults):,} rows are not readable; the first: {faults[0]}.")
    lacking = {base_id(each["jobid"]) for each in records} - extras.keys()
    if lacking:
        report.note(
            f"{path.name}: of {len(lacking):,} jobs it is not read who started them, nor their "
            "nice value and reservation."
        )
    blind = sum("submitline" not in row for row in extras.values())
    if blind and is_json(path):
        report.note(f"{path.name}: it does not tell the nice value of {blind:,} jobs.")
    suspended = [row for row in extras.values() if any(map(_not_0, row.get("suspended", "")))]
    if suspended:
        report.note(
            f"{path.name}: {len(suspended):,} jobs of this history were suspended at unknown "
            "times: in the twin they keep their CPUs meanwhile, and may run longer by that."
        )


def _not_0(sign: str) -> bool:
    return sign in "123456789"


def _clock(path: Path | None) -> dict[str, float]:
    """Return the moments of t0.txt: a name and epoch seconds on each line."""
    if path is None:
        return {}
    pairs = (line.split() for line in decode(Source.load(path).data).splitlines())
    try:
        return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2}
    except ValueError as error:
        raise InputError(f"{path}: {error}; must be a name and epoch seconds") from None


def _known_partitions(
    history: SlurmHistory, cluster: Cluster, report: ImportReport, skip: bool
) -> SlurmHistory:
    """Return the jobs whose partitions the cluster has."""
    workload = history.workload
    known = {each.name for each in cluster.partitions}
    names = workload.labels.get("partition", ())
    bad = [code for code, text in enumerate(names) if not {*text.split(",")} <= known]
    strange = np.isin(workload["partition"], bad)
    if not strange.any():
        return history
    which = ", ".join(f'"{names[code]}"' for code in bad[:3])
    told = f"{int(strange.sum()):,} jobs name partition {which}"
    if not skip:
        raise InputError(
            f"{told}, which slurm.conf does not describe (it has {', '.join(sorted(known))}); add "
            "it, or leave these jobs out with --skip-unknown"
        )
    report.note(f"{told}, which slurm.conf does not describe; they are left out.")
    kept = ~strange
    if not kept.any():
        raise InputError(f"{told}, and no other job is left")
    return SlurmHistory(
        workload.take(kept),
        history.details.filter(kept.tolist()),
        history.commands,
        history.clocks,
    )
