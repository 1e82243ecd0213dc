"""The parameters of slurmctld, from slurm.conf and from ``scontrol show config``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import Field, replace
from typing import Any

from schedlab.errors import ParameterError
from schedlab.slurm.dump.catalogue import verdict_of
from schedlab.slurm.dump.conf import Entry
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport
from schedlab.slurm.dump.values import KINDS, words
from schedlab.slurm.option import options_of
from schedlab.slurm.parameters import (
    FIRST_VERSION,
    LAST_VERSION,
    SECTIONS,
    SlurmParameters,
    defaults_of,
    version_of,
)
from schedlab.slurm.scheduling import WITHIN

_MODELLED_WORDS: dict[str, tuple[frozenset[str], str]] = {
    "schedulertype": (
        frozenset({"SCHED/BACKFILL", "SCHED/BUILTIN"}),
        "this scheduler is not modelled; the twin schedules as sched/backfill",
    ),
    "prioritytype": (
        frozenset({"PRIORITY/BASIC", "PRIORITY/MULTIFACTOR"}),
        "this priority plugin is not modelled",
    ),
    "selecttype": (
        frozenset({"SELECT/CONS_TRES", "SELECT/CONS_RES", "SELECT/LINEAR"}),
        "this way to select nodes is not modelled; the twin selects as select/cons_tres",
    ),
    "topologyplugin": (
        frozenset({"TOPOLOGY/NONE", "TOPOLOGY/TREE", "TOPOLOGY/DEFAULT", "TOPOLOGY/FLAT"}),
        "this topology is not modelled; nodes are chosen without it",
    ),
    "preempttype": (
        frozenset({"PREEMPT/NONE", "PREEMPT/QOS", "PREEMPT/PARTITION_PRIO"}),
        "this kind of preemption is not modelled",
    ),
    "preemptmode": (
        frozenset({"OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG"}),
        "this way to make room is not modelled",
    ),
    "priorityflags": (
        frozenset(
            [
                "ACCRUE_ALWAYS",
                "CALCULATE_RUNNING",
                "DEPTH_OBLIVIOUS",
                "FAIR_TREE",
                "INCR_ONLY",
                "MAX_TRES",
                "NO_FAIR_TREE",
                "NO_NORMAL_ALL",
                "NO_NORMAL_ASSOC",
                "NO_NORMAL_PART",
                "NO_NORMAL_QOS",
                "NO_NORMAL_TRES",
                "SMALL_RELATIVE_TO_TIME",
            ]
        ),
        "this flag is not modelled",
    ),
    "selecttypeparameters": (
        frozenset(
            [
                "CR_CPU",
                "CR_CPU_MEMORY",
                "CR_CORE",
                "CR_CORE_MEMORY",
                "CR_SOCKET",
                "CR_SOCKET_MEMORY",
                "CR_MEMORY",
                "CR_LLN",
                "CR_PACK_NODES",
                "CR_CORE_DEFAULT_DIST_BLOCK",
                "CR_ONE_TASK_PER_CORE",
            ]
        ),
        "this word is not modelled",
    ),
}
_HARMLESS_OPTIONS = frozenset(
    [
        "max_script_size",
        "no_env_cache",
        "nohold_on_prolog_fail",
        "requeue_setup_env_fail",
        "salloc_wait_nodes",
        "sbatch_wait_nodes",
        "step_retry_count",
        "step_retry_time",
        "no_backup_scheduling",
        "disable_job_shrink",
        "enable_hetjob_steps",
        "disable_hetjob_steps",
        "max_submit_line_size",
        "enable_job_state_cache",
        "ignore_prefer_validation",
        "bb_array_stage_cnt",
        "enable_user_top",
    ]
)
_ABOUT_STEPS = "It is about scripts, steps and commands, not about when a job starts."
_DEFAULT_VERSION = "22.05"


class SettingsCollector:
    """A collector of parameters, which reports what becomes of each."""

    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._values: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
        self._options = {
            key: (section, each)
            for section, kind in SECTIONS.items()
            for key, each in options_of(kind).items()
        }
        self._within = options_of(SECTIONS["scheduler"], WITHIN)

    def take(self, entries: Iterable[Entry]) -> None:
        """Read parameters, and report each of them."""
        for entry in entries:
            key = entry.key.lower()
            if key == WITHIN.lower():
                self._take_options(entry)
            elif key in self._options:
                self._take(entry, *self._options[key])
            elif key != "licenses":
                self._report.add(
                    entry.key, entry.value, entry.where, *verdict_of(entry.key, entry.value)
                )

    def made(self, version: str, cluster_name: str) -> SlurmParameters:
        """Return the parameters, with the defaults of the version for those that were not read."""
        usual = defaults_of(version)
        sections = {
            name: replace(getattr(usual, name), **values) for name, values in self._values.items()
        }
        return replace(usual, cluster_name=cluster_name, **sections)

    def _take(self, entry: Entry, section: str, each: Field[Any]) -> None:
        value = _read(entry, each.metadata["kind"], entry.value)
        self._values[section][each.name] = value
        known = _MODELLED_WORDS.get(entry.key.lower())
        strange = [word for word in words(entry.value) if known and word.upper() not in known[0]]
        if known and strange:
            meaning = f"{', '.join(strange)}: {known[1]}."
            self._report.add(entry.key, entry.value, entry.where, NOT_MODELLED, meaning)
        else:
            meaning = f"Used as {section}.{each.name} = {_said(value)}."
            self._report.add(entry.key, entry.value, entry.where, MODELLED, meaning)

    def _take_options(self, entry: Entry) -> None:
        for word in words(entry.value):
            name, _, text = word.partition("=")
            shown = f"{WITHIN}.{name}"
            each = self._within.get(name.lower())
            if each is not None:
                value = _read(entry, each.metadata["kind"], text, f".{name}")
                self._values["scheduler"][each.name] = value
                meaning = f"Used as scheduler.{each.name} = {_said(value)}."
                self._report.add(shown, text, entry.where, MODELLED, meaning)
            elif name.lower() in _HARMLESS_OPTIONS:
                self._report.add(shown, text, entry.where, HARMLESS, _ABOUT_STEPS)
            else:
                meaning = "The twin does not know this option, and schedules without it."
                self._report.add(shown, text, entry.where, NOT_MODELLED, meaning)


def settings_of(
    conf: Mapping[str, Entry],
    config: Mapping[str, Entry],
    cluster_name: str,
    report: ImportReport,
    version: str | None = None,
) -> SlurmParameters:
    """Return the parameters of slurm.conf, and those that only ``scontrol show config`` has.

    Where the two differ, slurm.conf counts: the running slurmctld may not have read it yet.
    """
    settings = SettingsCollector(report)
    settings.take(entry for key, entry in config.items() if key not in conf)
    settings.take(conf.values())
    _tell_differences(conf, config, report)
    return settings.made(_version(config, report, version), cluster_name)


def _version(config: Mapping[str, Entry], report: ImportReport, version: str | None) -> str:
    if version is None and "slurm_version" in config:
        version = config["slurm_version"].value.strip()
    if version is None:
        report.note(
            f"No file says which version of Slurm it is; the defaults are those of "
            f"{_DEFAULT_VERSION} (say it with --slurm-version)."
        )
        return _DEFAULT_VERSION
    if not FIRST_VERSION <= version_of(version) <= LAST_VERSION:
        report.note(
            f"Slurm {version} is not among the versions whose defaults are known, 22.05 to 25.11; "
            "the nearest of them counts."
        )
    return version


def _tell_differences(
    conf: Mapping[str, Entry], config: Mapping[str, Entry], report: ImportReport
) -> None:
    known = {
        key: each.metadata["kind"]
        for kind in SECTIONS.values()
        for key, each in options_of(kind).items()
    }
    for key in conf.keys() & config.keys() & known.keys():
        try:
            same = KINDS[known[key]](conf[key].value) == KINDS[known[key]](config[key].value)
        except ParameterError:
            continue
        if not same:
            report.note(
                f"{conf[key].where}: {conf[key].key} is {conf[key].value}, but slurmctld ran with "
                f"{config[key].value} ({config[key].where}); slurm.conf counts."
            )


def _read(entry: Entry, kind: str, text: str, option: str = "") -> Any:
    try:
        return KINDS[kind](text)
    except ParameterError as error:
        said = f"{option} {error}" if option else str(error)
        raise entry.error(said.strip()) from None


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or "nothing"
    return "nothing" if value in (None, {}) else str(value)
