"""The PartitionName lines of slurm.conf, and the records of ``scontrol show partition``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from schedlab.errors import ParameterError, SchedlabError
from schedlab.platform.partition import Partition
from schedlab.slurm.dump.conf import Block
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport, shown
from schedlab.slurm.dump.values import KINDS, is_unset, limit, rounded_minutes, whole, words, yes
from schedlab.slurm.layout import PartitionRules
from schedlab.slurm.parameters import SlurmParameters

_MIB = 1 << 20
_RULES: dict[str, tuple[str, str]] = {
    "state": ("state", "upper"),
    "priorityjobfactor": ("priority_job_factor", "count"),
    "qos": ("qos", "path"),
    "allowaccounts": ("allow_accounts", "who"),
    "denyaccounts": ("deny_accounts", "who"),
    "allowgroups": ("allow_groups", "who"),
    "allowqos": ("allow_qos", "who"),
    "denyqos": ("deny_qos", "who"),
    "preemptmode": ("preempt_mode", "words"),
    "gracetime": ("grace_s", "seconds"),
    "overtimelimit": ("over_time_limit_s", "minutes or none"),
    "lln": ("lln", "yes"),
    "exclusiveuser": ("exclusive_user", "yes"),
    "exclusivetopo": ("exclusive_topo", "yes"),
    "rootonly": ("root_only", "yes"),
    "reqresv": ("req_resv", "yes"),
    "disablerootjobs": ("disable_root_jobs", "yes"),
    "alternate": ("alternate", "path"),
    "maxcpuspernode": ("max_cpus_per_node", "limit"),
    "maxcpuspersocket": ("max_cpus_per_socket", "limit"),
    "defmempercpu": ("def_mem_per_cpu_mb", "megabytes"),
    "defmempernode": ("def_mem_per_node_mb", "megabytes"),
    "defmempergpu": ("def_mem_per_gpu_mb", "megabytes"),
    "defcpupergpu": ("def_cpu_per_gpu", "limit"),
    "maxmempercpu": ("max_mem_per_cpu_mb", "megabytes"),
    "maxmempernode": ("max_mem_per_node_mb", "megabytes"),
    "selecttypeparameters": ("select_parameters", "words"),
    "tresbillingweights": ("billing_weights", "weights"),
}
_MACHINE = frozenset(
    {
        *("nodes", "default", "defaulttime", "maxtime", "prioritytier", "priority", "minnodes"),
        *("maxnodes", "oversubscribe", "shared"),
    }
)
_HARMLESS = frozenset(
    {
        *("hidden", "cpubind", "totalcpus", "totalnodes", "tres", "allocnodes", "jobdefaults"),
        *("nodesets", "topology", "reqresvs", "nodeinxs"),
    }
)


def partition_of(
    block: Block, hosts: str, parameters: SlurmParameters, report: ImportReport
) -> Partition:
    """Return the partition as every policy knows it."""
    mode = _over_subscribe(block)[0]
    most = _read(block, ("MaxNodes",), limit, None)
    per_cpu = _read(block, ("DefMemPerCPU",), KINDS["megabytes"], None)
    per_cpu = per_cpu or parameters.select.def_mem_per_cpu_mb
    default, longest = (
        _read(block, (key,), rounded_minutes, None) for key in ("DefaultTime", "MaxTime")
    )
    if default and longest and default > longest:
        report.note(
            f'{block.where}: partition "{block.name}" has a DefaultTime above its MaxTime; jobs '
            "that give no limit get MaxTime."
        )
        default = longest
    try:
        return Partition(
            block.name,
            hosts,
            default,
            longest,
            _read(block, ("PriorityTier", "Priority"), whole, 1),
            mode == "EXCLUSIVE" or parameters.select.type == "select/linear",
            _read(block, ("Default",), yes, False),
            max(_read(block, ("MinNodes",), whole, 1), 1),
            most or None,
            None if per_cpu is None else per_cpu * _MIB,
        )
    except SchedlabError as error:
        raise block.error(f'partition "{block.name}": {error}') from None


def rules_of(block: Block) -> PartitionRules:
    """Return what only Slurm knows of the partition."""
    values: dict[str, Any] = {}
    if (old := block.text("Priority")) is not None:
        values["priority_job_factor"] = _read(block, ("Priority",), whole, int(old or 1))
    for key, (name, kind) in _RULES.items():
        if key in block.entries and not is_unset(block.entries[key].value):
            values[name] = _read(block, (key,), _READERS.get(kind) or KINDS[kind], None)
    mode, jobs = _over_subscribe(block)
    values |= {"over_subscribe": mode, "over_subscribe_jobs": jobs}
    values["max_nodes_zero"] = block.text("MaxNodes") == "0"
    return PartitionRules(block.name, **values)


def tell_partitions(blocks: Sequence[Block], report: ImportReport) -> None:
    """Add one finding to the report for each key of these lines."""
    by_key: dict[str, list[tuple[str, str, str]]] = {}
    for block in blocks:
        for key, entry in block.entries.items():
            by_key.setdefault(key, []).append((entry.key, entry.value, entry.where))
    for key, found in by_key.items():
        verdict, meaning = NOT_MODELLED, "The twin's partitions do not have it."
        if key in _MACHINE:
            verdict, meaning = MODELLED, "Part of the partitions of the machine."
        elif key in _RULES:
            verdict, meaning = MODELLED, f"Used as {_RULES[key][0]} of the partition."
        elif key in _HARMLESS:
            verdict, meaning = HARMLESS, "It is about what is shown, or repeats what is known."
        name = f"PartitionName.{found[0][0]}"
        report.add(name, shown(each[1] for each in found), found[0][2], verdict, meaning)


def _over_subscribe(block: Block) -> tuple[str, int]:
    """Read ``FORCE:2`` as the mode and how many jobs may share a core; 4 if not given."""
    text = (block.text("OverSubscribe", "Shared") or "NO").upper()
    mode, _, jobs = text.partition(":")
    if mode not in ("NO", "YES", "FORCE", "EXCLUSIVE") or (jobs and not jobs.isdecimal()):
        raise block.error(
            f'partition "{block.name}": OverSubscribe is {text!r}; must be NO, EXCLUSIVE, YES[:n] '
            "or FORCE[:n]"
        )
    return mode, int(jobs or 4)


def _who(text: str) -> tuple[str, ...]:
    return () if text.strip().upper() == "ALL" else words(text)


_READERS: dict[str, Callable[[str], Any]] = {
    "upper": lambda text: text.strip().upper(),
    "who": _who,
    "minutes or none": lambda text: None if is_unset(text) else KINDS["short minutes"](text),
}


def _read(block: Block, keys: tuple[str, ...], reader: Callable[[str], Any], default: Any) -> Any:
    text = block.text(*keys)
    if text is None or is_unset(text):
        return default
    try:
        return reader(text)
    except ParameterError as error:
        raise block.error(f'partition "{block.name}": {keys[0]} {error}') from None
