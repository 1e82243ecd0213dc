"""Keys of associations and of QOS: what ``sacctmgr`` calls each, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport
from schedlab.slurm.dump.values import amounts, is_unset, limit, minutes, whole, words

Reader = Callable[[str], Any]
Keys = Mapping[str, tuple[str, Reader]]


def _of(tres: str) -> Reader:
    """Return a reader of a limit on one resource, as in older versions: ``GrpCPUMins=100``."""

    def reader(text: str) -> dict[str, int]:
        most = limit(text)
        return {} if most is None else {tres: most}

    return reader


_GROUP: dict[str, tuple[str, Reader]] = {
    "grpcpus": ("grp_tres", _of("cpu")),
    "grpnodes": ("grp_tres", _of("node")),
    "grpcpumins": ("grp_tres_mins", _of("cpu")),
    "grpcpurunmins": ("grp_tres_run_mins", _of("cpu")),
    "grpjobs": ("grp_jobs", limit),
    "grpjobsaccrue": ("grp_jobs_accrue", limit),
    "grpsubmit": ("grp_submit", limit),
    "grpsubmitjobs": ("grp_submit", limit),
    "grpwall": ("grp_wall_s", minutes),
    "grptres": ("grp_tres", amounts),
    "grptresmins": ("grp_tres_mins", amounts),
    "grptresrunmins": ("grp_tres_run_mins", amounts),
    "minpriothresh": ("min_prio_thresh", limit),
    "minpriothreshold": ("min_prio_thresh", limit),
    "priority": ("priority", lambda text: 0 if is_unset(text) else whole(text)),
}
_WALL = {"maxwall": ("max_wall_s", minutes), "maxwalldurationperjob": ("max_wall_s", minutes)}

ASSOCIATION_KEYS: Keys = {
    **_GROUP,
    **_WALL,
    "maxjobs": ("max_jobs", limit),
    "maxjobsaccrue": ("max_jobs_accrue", limit),
    "maxsubmit": ("max_submit", limit),
    "maxsubmitjobs": ("max_submit", limit),
    "maxtres": ("max_tres", amounts),
    "maxtresperjob": ("max_tres", amounts),
    "maxtrespernode": ("max_tres_per_node", amounts),
    **dict.fromkeys(("maxcpus", "maxcpusperjob"), ("max_tres", _of("cpu"))),
    **dict.fromkeys(("maxnodes", "maxnodesperjob"), ("max_tres", _of("node"))),
    **dict.fromkeys(("maxcpumins", "maxcpuminsperjob"), ("max_tres_mins", _of("cpu"))),
    "maxtresmins": ("max_tres_mins", amounts),
    "maxtresminsperjob": ("max_tres_mins", amounts),
    "qos": ("qos", words),
    "qoslevel": ("qos", words),
    "defqos": ("default_qos", lambda text: text or None),
    "defaultqos": ("default_qos", lambda text: text or None),
}

QOS_KEYS: Keys = {
    **_GROUP,
    **_WALL,
    "preempt": ("preempt", words),
    "preemptmode": ("preempt_mode", lambda text: None if text == "cluster" else text.upper()),
    "preemptexempttime": ("preempt_exempt_s", minutes),
    "gracetime": ("grace_s", lambda text: _seconds(text)),
    "flags": ("flags", words),
    "usagefactor": ("usage_factor", float),
    "usagethres": ("usage_threshold", float),
    "usagethreshold": ("usage_threshold", float),
    "limitfactor": ("limit_factor", float),
    **dict.fromkeys(("maxjobspu", "maxjobsperuser"), ("max_jobs_per_user", limit)),
    **dict.fromkeys(("maxjobspa", "maxjobsperaccount"), ("max_jobs_per_account", limit)),
    **dict.fromkeys(
        ("maxjobsaccruepu", "maxjobsaccrueperuser"), ("max_jobs_accrue_per_user", limit)
    ),
    **dict.fromkeys(
        ("maxjobsaccruepa", "maxjobsaccrueperaccount"), ("max_jobs_accrue_per_account", limit)
    ),
    **dict.fromkeys(
        ("maxsubmitpu", "maxsubmitjobsperuser", "maxsubmitjobspu"), ("max_submit_per_user", limit)
    ),
    **dict.fromkeys(
        ("maxsubmitpa", "maxsubmitjobsperaccount", "maxsubmitjobspa"),
        ("max_submit_per_account", limit),
    ),
    **dict.fromkeys(("maxtrespu", "maxtresperuser"), ("max_tres_per_user", amounts)),
    **dict.fromkeys(("maxtrespa", "maxtresperaccount"), ("max_tres_per_account", amounts)),
    **dict.fromkeys(("maxtres", "maxtresperjob"), ("max_tres_per_job", amounts)),
    "maxtrespernode": ("max_tres_per_node", amounts),
    **dict.fromkeys(("maxtresmins", "maxtresminsperjob"), ("max_tres_mins_per_job", amounts)),
    **dict.fromkeys(("maxcpus", "maxcpusperjob"), ("max_tres_per_job", _of("cpu"))),
    **dict.fromkeys(("maxnodes", "maxnodesperjob"), ("max_tres_per_job", _of("node"))),
    **dict.fromkeys(("maxcpusperuser", "maxcpuspu"), ("max_tres_per_user", _of("cpu"))),
    **dict.fromkeys(("maxnodesperuser", "maxnodespu"), ("max_tres_per_user", _of("node"))),
    **dict.fromkeys(("maxcpumins", "maxcpuminsperjob"), ("max_tres_mins_per_job", _of("cpu"))),
    **dict.fromkeys(
        ("maxtresrunminspu", "maxtresrunminsperuser"), ("max_tres_run_mins_per_user", amounts)
    ),
    **dict.fromkeys(
        ("maxtresrunminspa", "maxtresrunminsperaccount"), ("max_tres_run_mins_per_account", amounts)
    ),
    **dict.fromkeys(("mintres", "mintresperjob"), ("min_tres", amounts)),
}

NEVER_TESTED = ("max_tres_run_mins_per_user", "max_tres_run_mins_per_account")
"""Limits that sacctmgr keeps and slurmctld never tests."""
_SHARES = ("share", "shares", "fairshare", "rawshares")
_HARMLESS = frozenset(
    {"description", "descr", "organization", "id", "comment", "lft", "rgt", "lineage", "uid"}
    | {"adminlevel", "defaultaccount", "defaultwckey", "coordinators", "flags", "cluster"}
    | {"defacct", "classification", "rpc", "controlhost", "controlport"}
)


def read_keys(
    given: Mapping[str, str], keys: Keys, where: str, kind: str, report: ImportReport
) -> dict[str, Any]:
    """Return the fields that the keys fill in, and report each key once."""
    values: dict[str, Any] = {}
    for key, text in given.items():
        if not text.strip():
            continue
        if key in _SHARES and keys is ASSOCIATION_KEYS:
            values |= _shares(text, where)
            _tell(report, kind, key, text, where, MODELLED, "Shares of fair share.")
        elif key in keys:
            name, reader = keys[key]
            value = _read(reader, text, where, f"{kind}: {key}")
            values[name] = {**values.get(name, {}), **value} if isinstance(value, dict) else value
            if name in NEVER_TESTED:
                _tell(report, kind, key, text, where, HARMLESS, "slurmctld does not test it.")
            else:
                _tell(report, kind, key, text, where, MODELLED, f"Used as {name} of each {kind}.")
        elif key in _HARMLESS:
            meaning = "It describes, and limits nothing."
            _tell(report, kind, key, text, where, HARMLESS, meaning)
        else:
            _tell(report, kind, key, text, where, NOT_MODELLED, "The twin does not know it.")
    return values


def _tell(report: ImportReport, kind: str, key: str, *rest: str) -> None:
    name = f"{kind}.{key}"
    if all(each.name != name for each in report.findings):
        report.add(name, *rest)


def _shares(text: str, where: str) -> dict[str, Any]:
    if text.strip().lower() == "parent":
        return {"shares_of_parent": True}
    return {"shares": _read(whole, text, where, "shares")}


def _read(reader: Reader, text: str, where: str, key: str) -> Any:
    try:
        return reader(text.strip())
    except ParameterError as error:
        raise InputError(f"{where}: {key} {error}") from None
    except ValueError:
        raise InputError(f"{where}: {key} is {text!r}; must be a number") from None


def _seconds(text: str) -> int:
    """Read ``00:01:00``, or plain seconds."""
    if text.isdecimal():
        return int(text)
    return minutes(text) or 0
