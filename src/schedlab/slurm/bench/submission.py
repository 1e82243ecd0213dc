"""A workload as calls of sbatch: jobs that sleep, and ask for what the real jobs asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from schedlab.slurm.site import SlurmHistory
from schedlab.workload.workload import Workload

FOR_EVER_S = 1_000_000
"""How long a job sleeps if it is to end at its time limit."""
COLUMNS = (
    *("job", "jobid", "planned_offset_s", "submit_offset_s", "sbatch_s", "user", "account"),
    *("qos", "partition", "cores", "cpus_per_task", "nodes", "tasks_per_node", "memory_mb"),
    *("gres", "constraint", "limit_s", "true_run_s", "exclusive", "array", "dependency_ids"),
    *("kill_invalid_dep", "begin_s", "nice", "hold", "licenses", "requeue", "reservation"),
    *("exit_code", "name"),
)
"""The columns of submitted.csv."""
_ID = re.compile(r"(?<=:)\d+(?:_\d+)?")
_LABELS = ("user", "account", "qos", "partition", "constraint", "licences", "job_name", "gpu_type")


@dataclass(frozen=True)
class Submission:
    """One call of sbatch.

    Args:
        name: the id of the job in the history, or of its array.
        at_s: when to call it, in seconds from the first call.
        rows: a line of submitted.csv for each task, still without the id and the moment.
        options: options of sbatch, without the dependency.
        dependency: the dependency, with the ids of the history.
        script: what the job does.
    """

    name: str
    at_s: float
    rows: tuple[Mapping[str, str], ...]
    options: tuple[str, ...]
    dependency: str
    script: str

    @property
    def user(self) -> str:
        """The user of the job; empty if not given."""
        return self.rows[0]["user"]

    def depends(self, ids: Mapping[str, str]) -> str:
        """Return the dependency with the new ids; an unknown job stays as it is."""
        return _ID.sub(lambda match: _new_id(match[0], ids), self.dependency)


def submissions_of(workload: Workload, history: SlurmHistory | None = None) -> list[Submission]:
    """Return the calls of sbatch in order of time; the tasks of an array are one call.

    Args:
        workload: the jobs. Without a history of Slurm they have whole nodes.
        history: what only Slurm knows of the jobs.
    """
    jobs = _jobs(workload, history)
    keyed = sorted(jobs, key=lambda job: (job["at_s"], job["key"]))
    first_s = keyed[0]["at_s"] if keyed else 0.0
    found = []
    for _, tasks in groupby(keyed, key=lambda job: job["key"]):
        found.append(_submission(list(tasks), first_s))
    return found


def _jobs(workload: Workload, history: SlurmHistory | None) -> list[dict[str, Any]]:
    """Return every job as values by name: columns of the workload, labels as texts, and details."""
    details: Sequence[Mapping[str, Any]] = [{}] * len(workload)
    if history is not None:
        details = history.details.to_dicts()
    columns = {name: workload[name].tolist() for name in workload.columns}
    found = []
    for at, detail in enumerate(details):
        job: dict[str, Any] = {name: values[at] for name, values in columns.items()}
        for name in _LABELS:
            code = job.get(name, -1)
            labels = workload.labels.get(name, ())
            job[name] = labels[code] if 0 <= code < len(labels) else ""
        job |= {f"d_{name}": value for name, value in detail.items()}
        job["at_s"] = float(detail.get("submit_s") or job["submit_s"])
        name = str(detail.get("slurm_id") or job["job_id"])
        is_task = job.get("array", -1) >= 0
        job["name"] = name.partition("_")[0] if is_task else name
        job["key"] = (job["name"], job["at_s"]) if is_task else (name, job["at_s"])
        job["whole"] = history is None and job.get("tasks", -1) < 0
        found.append(job)
    return found


def _submission(tasks: list[dict[str, Any]], first_s: float) -> Submission:
    job = tasks[0]
    options = [*_size(job), *_rules(job)]
    runs = [_run_s(task) for task in tasks]
    sleep = _sleep(runs[0])
    if job.get("array", -1) >= 0:
        places = [int(task["array_index"]) for task in tasks]
        most = int(job.get("array_limit", -1))
        options.append(f"--array={','.join(map(str, places))}{f'%{most}' if most > 0 else ''}")
        cases = " ".join(
            f"{place}) s={_sleep(run)};;" for place, run in zip(places, runs, strict=True)
        )
        script = f"case $SLURM_ARRAY_TASK_ID in {cases} esac; exec sleep $s"
    else:
        script = f"exec sleep {sleep}"
    code = int(job.get("d_exit_code") or 0)
    if code:
        script = f"{script.replace('exec ', '')}; exit {code}"
    at_s = job["at_s"] - first_s
    rows = tuple(_row(task, run, at_s) for task, run in zip(tasks, runs, strict=True))
    dependency = str(job.get("d_dependency") or "")
    return Submission(job["name"], at_s, rows, tuple(options), dependency, script)


def _size(job: Mapping[str, Any]) -> list[str]:
    """Return the options for the resources that the job asks for."""
    if job["whole"]:
        return ["--nodes", str(job["nodes"]), "--exclusive"]
    options = ["--ntasks", str(max(job.get("tasks", 1), 1))]
    least = job.get("d_min_nodes")
    given = {
        "--ntasks-per-node": _above(job.get("tasks_per_node"), 0),
        "--cpus-per-task": _above(job.get("cores_per_task"), 1),
        "--nodes": None if least is None else int(least),
        "--mem": _megabytes(job),
    }
    for name, value in given.items():
        if value is not None:
            options += [name, str(value)]
    if gres := _gres(job):
        options += ["--gres", gres]
    if job.get("exclusive", -1) > 0:
        options.append("--exclusive")
    return options


def _rules(job: Mapping[str, Any]) -> list[str]:
    """Return the options that say where, for whom and under which conditions the job runs."""
    options = ["--time", str(math.ceil(job["request_s"] / 60)), "--job-name", _job_name(job)]
    given = {
        "--account": job["account"],
        "--qos": job["qos"],
        "--partition": job["partition"],
        "--constraint": job["constraint"],
        "--licenses": job["licences"].replace("+", ","),
        "--reservation": job.get("d_reservation"),
        "--begin": _begin(job),
    }
    for name, value in given.items():
        if value:
            options += [name, str(value)]
    if job.get("d_nice"):
        options.append(f"--nice={job['d_nice']}")
    if job.get("d_held"):
        options.append("--hold")
    if job.get("d_may_requeue") is not None:
        options.append("--requeue" if job["d_may_requeue"] else "--no-requeue")
    if job.get("d_kill_invalid_dependency") is not None:
        options.append(f"--kill-on-invalid-dep={_yes(job['d_kill_invalid_dependency'])}")
    return options


def _row(job: Mapping[str, Any], run_s: float, at_s: float) -> dict[str, str]:
    """Return the job's line of submitted.csv."""
    nodes = job["nodes"] if job["whole"] else job.get("d_min_nodes")
    tasks = job["nodes"] if job["whole"] else max(job.get("tasks", 1), 1)
    array = ""
    if job.get("array", -1) >= 0:
        most = int(job.get("array_limit", -1))
        array = f"{job['array_index']}{f'%{most}' if most > 0 else ''}"
    kills = job.get("d_kill_invalid_dependency")
    requeue = job.get("d_may_requeue")
    values: dict[str, Any] = {
        "job": job["name"],
        "planned_offset_s": f"{at_s:.3f}",
        **{key: job[key] for key in ("user", "account", "qos", "partition", "constraint")},
        "cores": tasks,
        "cpus_per_task": _above(job.get("cores_per_task"), 1),
        "nodes": nodes,
        "tasks_per_node": _above(job.get("tasks_per_node"), 0),
        "memory_mb": _megabytes(job),
        "gres": _gres(job),
        "limit_s": math.ceil(job["request_s"] / 60) * 60,
        "true_run_s": f"{run_s:g}",
        "exclusive": int(job["whole"] or job.get("exclusive", -1) > 0),
        "array": array,
        "kill_invalid_dep": None if kills is None else _yes(kills),
        "begin_s": _above(job.get("begin_after_s"), 0),
        "nice": job.get("d_nice"),
        "hold": 1 if job.get("d_held") else None,
        "licenses": job["licences"].replace("+", ","),
        "requeue": None if requeue is None else _yes(requeue),
        "reservation": job.get("d_reservation"),
        "exit_code": job.get("d_exit_code"),
        "name": _job_name(job),
    }
    return {key: "" if value is None else str(value) for key, value in values.items()}


def _run_s(job: Mapping[str, Any]) -> float:
    true_s = job.get("d_true_run_s")
    if true_s is not None:
        return float(true_s)
    is_killed = job.get("d_state") == "TIMEOUT" or job["run_s"] >= job["request_s"] > 0
    return math.inf if is_killed else float(job["run_s"])


def _sleep(run_s: float) -> str:
    return str(FOR_EVER_S) if math.isinf(run_s) else f"{run_s:g}"


def _megabytes(job: Mapping[str, Any]) -> int | None:
    kilobytes = job.get("memory_per_node_kb", -1)
    return None if kilobytes < 0 else math.ceil(kilobytes / 1024)


def _gres(job: Mapping[str, Any]) -> str | None:
    count = job.get("gpus_per_node", -1)
    if count <= 0:
        return None
    kind = f":{job['gpu_type']}" if job["gpu_type"] else ""
    return f"gpu{kind}:{count}"


def _begin(job: Mapping[str, Any]) -> str | None:
    after_s = job.get("begin_after_s", -1)
    return f"now+{after_s}seconds" if after_s > 0 else None


def _above(value: int | None, bound: int) -> int | None:
    return value if value is not None and value > bound else None


def _job_name(job: Mapping[str, Any]) -> str:
    """Return the job's name, without characters that could break a table."""
    return re.sub(r"[^\w.@:+-]", "_", job["job_name"] or str(job["name"]))[:100]


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _new_id(name: str, ids: Mapping[str, str]) -> str:
    base, underscore, task = name.partition("_")
    return ids.get(base, base) + underscore + task
