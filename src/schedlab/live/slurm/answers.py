"""Jobs and nodes from the JSON of ``squeue``, ``sinfo`` and slurmrestd.

The shape differs by version: a number is plain (22.05), or has a field that says whether it is set
(from 23.02 on); a state is a word, or a list of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from schedlab.errors import InputError
from schedlab.live.queue import UNLIMITED_S, LiveJob, LiveStage
from schedlab.slurm.job_rows import task_numbers

Answer = Mapping[str, Any]
_RUNS = frozenset({"RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED", "SIGNALING"})
_CLOSED = ("down", "drain", "fail", "error", "unknown", "future", "maint", "powering")
_FULFILLED = re.compile(r"\(\w+\)")
_GPU = re.compile(r"(?:gres[:/])?gpu(?:[:=](?P<type>[A-Za-z][\w.-]*))?(?:[:=](?P<count>\d+))?")
_TRES = re.compile(r"(?:^|,)(\w+(?:/\w+)?(?::[\w.-]+)?)=([\d.]+)([KMGTP]?)")


def live_jobs(answer: Answer) -> tuple[list[LiveJob], list[str]]:
    """Return the jobs, each task of an array as one, and notes on what was not readable."""
    found: list[LiveJob] = []
    notes: list[str] = []
    for each in _list(answer, "jobs"):
        try:
            found += _tasks(each)
        except (InputError, KeyError, TypeError, ValueError) as error:
            notes.append(f"job {each.get('job_id', '?')}: not readable: {error}")
    return found, notes


def closed_nodes(answer: Answer) -> dict[str, str]:
    """Return the nodes on which no job may start, and why."""
    found = {}
    for each in _list(answer, "nodes"):
        words = {word.lower() for key in ("state", "state_flags") for word in _words(each.get(key))}
        bad = sorted(word for word in words if word.startswith(_CLOSED))
        if bad:
            found[str(each.get("name"))] = str(each.get("reason") or "") or " ".join(bad)
    return found


def _list(answer: Answer, name: str) -> list[Answer]:
    found = answer.get(name)
    if not isinstance(found, list):
        raise InputError(f"the answer has no list of {name}")
    return [each for each in found if isinstance(each, dict)]


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(each) for each in value] if isinstance(value, list) else []


def _number(value: Any) -> int | None:
    """Return a number that is set; None for one that is not, and for infinity."""
    if isinstance(value, dict):
        if not value.get("set", True) or value.get("infinite"):
            return None
        value = value.get("number")
    return None if value is None else int(value)


def _positive(value: Any) -> int | None:
    """Return a number above 0: Slurm writes 0 for what is not known."""
    number = _number(value)
    return number if number and number > 0 else None


def _signed(value: Any) -> int:
    """Return a number that may be negative: Slurm 22.05 writes -12 as 2^32 - 12."""
    number = _number(value) or 0
    return number - 2**32 if number >= 2**31 else number


def _tasks(each: Answer) -> Iterator[LiveJob]:
    """Yield the job, or the tasks of an array, that this record stands for."""
    array = _positive(each.get("array_job_id"))
    if array is None:
        name = str(int(each["job_id"]))
        yield _job(each, name, name)
        return
    waiting = str(each.get("array_task_string") or "").partition("%")[0]
    if not waiting:
        name = f"{array}_{int(_number(each['array_task_id']) or 0)}"
        yield _job(each, name, name)
        return
    for task in task_numbers(waiting):
        yield _job(each, f"{array}_{task}", f"{array}_[{waiting}]")


def _job(each: Answer, name: str, handle: str) -> LiveJob:
    words = _words(each["job_state"])
    stage = _stage(words)
    asked = _tres(str(each.get("tres_req_str") or ""))
    tasks = _positive(each.get("tasks")) or 1
    nodes = int(asked.get("node", 0)) or _positive(each.get("node_count")) or 1
    limit = _positive(each.get("time_limit"))
    reason = str(each.get("state_reason") or "")
    gpus, kind = _gpus(each)
    submit = int(_number(each["submit_time"]) or 0)
    eligible = _positive(each.get("eligible_time"))
    hosts = str(each.get("nodes") or "") if stage is not LiveStage.WAITS else ""
    return LiveJob(
        id=name,
        stage=stage,
        state=words[0] if words else "",
        user=str(each.get("user_name") or each.get("user_id") or ""),
        submit=submit,
        limit_s=UNLIMITED_S if limit is None else limit * 60,
        reason="" if reason == "None" else reason,
        name=str(each.get("name") or ""),
        account=str(each.get("account") or ""),
        partition=str(each.get("partition") or ""),
        qos=str(each.get("qos") or ""),
        priority=_number(each.get("priority")) or 0,
        nice=_signed(each.get("nice")),
        eligible=eligible,
        begin=eligible if reason == "BeginTime" else None,
        # Slurm also gives a start for jobs that wait, and for those cancelled before they started.
        start=_positive(each.get("start_time")) if hosts else None,
        end=_positive(each.get("end_time")) if stage is LiveStage.ENDED else None,
        hosts=hosts,
        tasks=tasks,
        cpus=max(int(asked.get("cpu", 0)) or _positive(each.get("cpus")) or 1, tasks),
        tasks_per_node=_positive(each.get("tasks_per_node")) or 0,
        min_nodes=nodes if nodes > 1 or _positive(each.get("max_nodes")) else None,
        memory_per_node_mb=_positive(each.get("memory_per_node")),
        memory_per_cpu_mb=_positive(each.get("memory_per_cpu")),
        gpus_per_node=gpus,
        gpu_type=kind,
        constraint=str(each.get("features") or ""),
        exclusive="none" in (word.lower() for word in _words(each.get("shared"))),
        licences=str(each.get("licenses") or ""),
        dependency=_FULFILLED.sub("", str(each.get("dependency") or "")),
        array_limit=_positive(each.get("array_max_tasks")) or 0,
        held=stage is LiveStage.WAITS and reason in ("JobHeldUser", "JobHeldAdmin"),
        reservation=str(each.get("resv_name") or ""),
        restarts=_number(each.get("restart_cnt")) or 0,
        raw_id=int(each["job_id"]),
        handle=handle,
    )


def _stage(words: list[str]) -> LiveStage:
    if any(word in _RUNS for word in words):
        return LiveStage.RUNS
    return LiveStage.WAITS if "PENDING" in words else LiveStage.ENDED


def _tres(text: str) -> dict[str, float]:
    return {name: float(number) for name, number, _ in _TRES.findall(text)}


def _gpus(each: Answer) -> tuple[int, str]:
    """Return the number of GPUs per node, and their type."""
    found = _GPU.search(str(each.get("tres_per_node") or ""))
    if found is None:
        return 0, ""
    return int(found["count"] or 1), found["type"] or ""
