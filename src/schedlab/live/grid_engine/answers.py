"""Jobs and closed queue instances from the XML of ``qstat`` and ``qhost``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from xml.etree.ElementTree import Element

from schedlab.errors import InputError
from schedlab.live.given import GivenPriorities
from schedlab.live.grid_engine.cell import GridEngineCell, queue_instances
from schedlab.live.queue import UNLIMITED_S, LiveJob, LiveStage
from schedlab.slurm.job_rows import task_numbers
from schedlab.workload.readers.grid_engine_row import seconds_in


@dataclass(frozen=True)
class SubmissionDetails:
    """What only ``qstat -j`` shows of a job; it never changes.

    Args:
        submit: when it was submitted, in epoch seconds.
        begin: the earliest start that it asked for; 0 for at once.
        array_limit: how many of its tasks may run at the same time; 0 for any number.
    """

    submit: int
    begin: int = 0
    array_limit: int = 0


def submissions(details: Element) -> dict[int, SubmissionDetails]:
    """Return the submission details of each job, by its number."""
    found = {}
    for each in details.iterfind("./djob_info/element"):
        number = _number(each, "JB_job_number")
        if number:
            found[number] = SubmissionDetails(
                _seconds(_number(each, "JB_submission_time")),
                _seconds(_number(each, "JB_execution_time")),
                _number(each, "JB_ja_task_concurrency"),
            )
    return found


def job_numbers(queue: Element) -> set[int]:
    """Return the numbers of all jobs that ``qstat`` lists."""
    return {_number(each, "JB_job_number") for each in queue.iter("job_list")}


def live_jobs(
    queue: Element,
    cell: GridEngineCell,
    told: Mapping[int, SubmissionDetails],
    given: GivenPriorities,
    now: float,
) -> tuple[list[LiveJob], list[str]]:
    """Return the jobs, each task of an array as one, and notes on what was not readable.

    Args:
        queue: the output of ``qstat -r -pri -ext -g t``: a job has a line for each of its slots.
        cell: the cell that the output is from.
        told: the known submission details, by job number.
        given: the priorities that steering has set.
        now: the present time in epoch seconds.
    """
    found: dict[str, LiveJob] = {}
    hosts: dict[str, dict[str, None]] = {}
    notes: list[str] = []
    for each in queue.iter("job_list"):
        try:
            for job in _tasks(each, cell, told, given, now):
                found.setdefault(job.id, job)
                hosts.setdefault(job.id, {}).update(dict.fromkeys(filter(None, [job.hosts])))
        except (InputError, ValueError) as error:
            notes.append(f"job {_text(each, 'JB_job_number') or '?'}: not readable: {error}")
    return [replace(job, hosts=",".join(hosts[name])) for name, job in found.items()], notes


def closed_nodes(hosts: Element, cell: GridEngineCell) -> dict[str, str]:
    """Return the nodes of the twin on which no job may start, and why.

    A queue instance is closed if it is disabled, suspended, in error, overloaded or out of reach. A
    host that bounds the slots of its queues is closed if all of them are.
    """
    states: dict[str, list[str]] = {}
    for host, queue, values in queue_instances(hosts):
        states.setdefault(cell.node(queue, host), []).append(values.get("state_string", ""))
    return {node: f"state {'/'.join(each)}" for node, each in states.items() if all(each)}


def _tasks(
    each: Element,
    cell: GridEngineCell,
    told: Mapping[int, SubmissionDetails],
    given: GivenPriorities,
    now: float,
) -> Iterator[LiveJob]:
    number = _number(each, "JB_job_number")
    tasks = _text(each, "tasks")
    names = [f"{number}.{task}" for task in task_numbers(tasks)] if tasks else [f"{number}"]
    for name in names:
        yield _job(each, name, cell, told.get(number), given, now)


def _job(
    each: Element,
    name: str,
    cell: GridEngineCell,
    told: SubmissionDetails | None,
    given: GivenPriorities,
    now: float,
) -> LiveJob:
    number, state = _number(each, "JB_job_number"), _text(each, "state")
    waits = "q" in state
    started = _text(each, "JAT_start_time")
    start = _moment(started) if started and not waits else None
    submitted = _text(each, "JB_submission_time")
    told = told or SubmissionDetails(_moment(submitted) if submitted else start or int(now))
    queue, _, host = _text(each, "queue_name").partition("@")
    hard = {x.get("name", ""): (x.text or "").strip() for x in each.iterfind("hard_request")}
    limit_s = seconds_in(hard.get("h_rt")) or seconds_in(hard.get("s_rt"))
    wanted = [(x.text or "").strip() for x in each.iterfind("hard_req_queue")]
    environment, slots = _parallel(each)
    able = [x for x in cell.queues if x.takes(wanted, environment, limit_s)]
    asked = ",".join(x.name for x in able) or "no queue"
    names = [queue] if host else asked.split(",")
    longest = [x.limit_s for x in cell.queues if x.name in names]
    if limit_s is None and longest and None not in longest:
        limit_s = max(x for x in longest if x is not None)
    before = [x for x in _names(each, "predecessor_jobs", "ad_predecessor_jobs") if x.isdecimal()]
    in_time = told.begin <= now
    given_p = _number(each, "JB_priority")
    base = given.base(str(number), given_p)
    rest = cell.weights.steps(_float(each, "JB_nurg"), _float(each, "JAT_ntix"))
    own = 1024 + base + rest
    rule = cell.rule(environment) if environment else "$pe_slots"
    is_one = rule == "$pe_slots"
    return LiveJob(
        id=name,
        stage=LiveStage.WAITS if waits else LiveStage.RUNS,
        state=state,
        user=_text(each, "JB_owner"),
        submit=told.submit,
        limit_s=limit_s or cell.limit_s or UNLIMITED_S,
        reason=_reason(state, before, in_time=in_time) if waits else "",
        name=_text(each, "full_job_name") or _text(each, "JB_name"),
        account=_text(each, "JB_project") or _text(each, "JB_owner"),
        partition=",".join(names),
        asked=asked if host and able else "",
        priority=own + given_p - base,
        nice=-own,
        begin=told.begin if told.begin and waits and not in_time else None,
        start=start,
        hosts=cell.node(queue, host) if host and not waits else "",
        tasks=1 if is_one else slots,
        cpus=slots,
        tasks_per_node=int(rule) if rule.isdecimal() else 0,
        min_nodes=1 if is_one else None,
        dependency=f"afterany:{':'.join(before)}" if before else "",
        array_limit=told.array_limit,
        held=waits and ("E" in state or ("h" in state and not before)),
        restarts=int("R" in state),
        raw_id=number,
        handle=str(number),
        site_factor=given_p - base,
        base=base,
    )


def _reason(state: str, before: list[str], *, in_time: bool) -> str:
    """Return why no priority lets the job start; empty if a priority may."""
    if before:
        return "Dependency"
    if "E" in state:
        return "Error"
    return "" if in_time else "BeginTime"


def _parallel(each: Element) -> tuple[str, int]:
    """Return the parallel environment and the slots: the granted ones, or the fewest wanted."""
    slots = _number(each, "slots") or 1
    for tag in ("granted_pe", "requested_pe"):
        found = each.find(tag)
        if found is not None:
            least = (found.text or "").strip().partition("-")[0]
            return found.get("name", ""), int(least) if least.isdecimal() else slots
    return "", slots


def _names(each: Element, *tags: str) -> Iterable[str]:
    return [(found.text or "").strip() for tag in tags for found in each.iterfind(tag)]


def _text(each: Element, tag: str) -> str:
    return (each.findtext(tag) or "").strip()


def _number(each: Element, tag: str) -> int:
    text = _text(each, tag)
    return int(text) if text else 0


def _float(each: Element, tag: str) -> float:
    return float(_text(each, tag) or 0.0)


def _moment(text: str) -> int:
    """Return the epoch seconds of a time in UTC; the commands run with TZ=UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _seconds(time: int) -> int:
    """Return the time in seconds; some versions give milliseconds."""
    return time // 1000 if time >= 10**11 else time
