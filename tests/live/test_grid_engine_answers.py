"""Answers of Grid Engine, read without one: hosts, parallel environments, priorities, ends."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from schedlab.errors import PeerError
from schedlab.live.forecaster import LiveForecaster
from schedlab.live.given import GivenPriorities
from schedlab.live.grid_engine.accounting import Accounting
from schedlab.live.grid_engine.answers import SubmissionDetails, closed_nodes, live_jobs
from schedlab.live.grid_engine.cell import ClusterQueue, GridEngineCell, Weights
from schedlab.live.grid_engine.commands import parsed
from schedlab.live.grid_engine.model import site_of
from schedlab.live.ledger import Ledger
from schedlab.live.mirror import Mirror
from schedlab.live.queue import LiveJob, Reading

T0 = 1_700_000_000
WEIGHTS = Weights(1.0, 0.1, 0.01)
RULES = {"smp": "$pe_slots", "mpi": "$fill_up", "two": "2"}
DAY = ClusterQueue("day.q", {"n1": 4, "n2": 4, "n3": 4}, None, tuple(RULES))
SHORT = ClusterQueue("short.q", {"n3": 2}, 600)
CELL = GridEngineCell((DAY, SHORT), RULES, WEIGHTS, 15, 1, None, 0, {})


def entry(number: int, state: str = "qw", **more: str) -> str:
    """Return a job as qstat lists it."""
    rows = {"JB_job_number": str(number), "JB_priority": "0", "JB_owner": "ann", "slots": "1"}
    rows |= {"JB_nurg": "0.0", "JAT_ntix": "0.5", "state": state, **more}
    text = "".join(f"<{tag}>{value}</{tag}>" for tag, value in rows.items() if tag != "extra")
    return f"<job_list>{text}{more.get('extra', '')}</job_list>"


def jobs_of(*entries: str, given: GivenPriorities | None = None) -> dict[str, LiveJob]:
    """Return the jobs that these entries describe, by id."""
    queue = ElementTree.fromstring(f"<job_info>{''.join(entries)}</job_info>")
    told = {number: SubmissionDetails(T0) for number in range(100)}
    jobs, notes = live_jobs(queue, CELL, told, given or GivenPriorities(), T0 + 10.0)
    assert not notes
    return {job.id: job for job in jobs}


def asks_pe(name: str, slots: int) -> str:
    """Return the request of a parallel job."""
    return f'<requested_pe name="{name}">{slots}</requested_pe>'


def starts_of(*jobs: LiveJob) -> list[float]:
    """Return when the twin starts jobs, in seconds from now; nan for never."""
    site = site_of(CELL, "cell")
    mirror = Mirror(site)
    mirror.take(Reading(T0 + 10.0, jobs))
    present = mirror.site()
    assert present is not None
    starts = LiveForecaster(site, forks=1).futures(present).starts()[0]
    return [round(float(each) - T0 - 10.0, 1) for each in starts]


def test_a_parallel_job_gets_its_slots_as_its_environment_gives_them() -> None:
    """Its slots are on one host, on as few hosts as possible, or two on each."""
    read = jobs_of(
        entry(1, extra=asks_pe("smp", 4)),
        entry(2, extra=asks_pe("mpi", 6)),
        entry(3, extra=asks_pe("two", 6)),
        entry(4, extra=asks_pe("smp", 8)),
    )
    one, few, two, too_wide = read.values()
    assert (one.cpus, one.tasks, one.min_nodes) == (4, 1, 1)
    assert (few.cpus, few.tasks, few.tasks_per_node) == (6, 6, 0)
    assert (two.tasks, two.tasks_per_node) == (6, 2)
    for job in (one, few, two):
        assert starts_of(job)[0] < 30
    assert np.isnan(starts_of(too_wide)[0])


def test_a_job_that_does_not_fit_stops_nobody() -> None:
    """Grid Engine reserves nothing by default; jobs that fit start in order of priority."""
    running = entry(
        *(1, "r"),
        queue_name="day.q@n1",
        JAT_start_time="2023-11-14T22:13:20",
        extra='<granted_pe name="smp">3</granted_pe><hard_request name="h_rt">500</hard_request>',
    )
    wide = entry(2, JB_priority="100", extra=asks_pe("mpi", 12))
    limit = '<hard_request name="h_rt">900</hard_request>'
    small = entry(3, JB_priority="-100", extra=asks_pe("smp", 4) + limit)
    jobs = jobs_of(running, wide, small)
    assert jobs["1"].hosts == "day.q@n1"
    _, first, second = starts_of(*jobs.values())
    assert second < 30 < first


def test_a_running_job_is_on_all_its_hosts() -> None:
    """The listing has a line for each slot of a job."""
    lines = [
        entry(1, "r", queue_name=f"day.q@{host}", JAT_start_time="2023-11-14T22:13:20", slots="1")
        for host in ("n1", "n1", "n2")
    ]
    (job,) = jobs_of(*lines).values()
    assert job.hosts == "day.q@n1,day.q@n2"
    assert (job.start, job.partition) == (T0, "day.q")


def test_a_host_may_bound_the_slots_of_its_queues() -> None:
    """Then it is one node, in all its queues; it is closed only if all of them are."""
    cell = GridEngineCell((DAY, SHORT), RULES, WEIGHTS, 15, 1, None, 0, {"n3": 3})
    machine = site_of(cell, "cell").machine
    assert machine.cores == 4 + 4 + 3
    text = "".join(
        f"<host name='n3'><queue name='{name}'><queuevalue name='state_string'>{state}"
        "</queuevalue></queue></host>"
        for name, state in (("day.q", "d"), ("short.q", ""))
    )
    hosts = ElementTree.fromstring(f"<qhost>{text}</qhost>")
    assert closed_nodes(hosts, cell) == {}
    assert closed_nodes(hosts, CELL) == {"day.q@n3": "state d"}


def test_queues_that_may_take_a_job() -> None:
    """A job's queues follow from their names, their limits and its parallel environment."""
    read = jobs_of(
        entry(1),
        entry(2, extra='<hard_request name="h_rt">700</hard_request>'),
        entry(3, extra="<hard_req_queue>sh*@n3</hard_req_queue>"),
        entry(4, extra=asks_pe("m*", 2)),
        entry(5, extra="<hard_req_queue>gone.q</hard_req_queue>"),
    )
    found = [job.partition for job in read.values()]
    assert found == ["day.q,short.q", "day.q", "short.q", "day.q", "no queue"]
    assert read["3"].limit_s == 600


def test_states_of_jobs() -> None:
    """A job may be held, in error, waiting for others, running, suspended or put back."""
    read = jobs_of(
        entry(1, "hqw"),
        entry(2, "Eqw"),
        entry(3, "hqw", predecessor_jobs="1", extra="<predecessor_jobs>2</predecessor_jobs>"),
        entry(4, "Rq", tasks="1-3:2,7"),
        entry(5, "S", queue_name="day.q@n1", JAT_start_time="2023-11-14T22:13:20"),
    )
    assert [job.held for job in read.values()] == [True, True, False, *[False] * 3, False]
    assert read["3"].dependency == "afterany:1:2"
    assert {"4.1", "4.3", "4.7"} < set(read)
    assert read["4.3"].restarts == 1
    assert read["5"].stage.value == "runs"


def test_a_priority_is_counted_in_steps_of_qalter() -> None:
    """Urgency and tickets are worth a number of steps, by the weights."""
    assert WEIGHTS.steps(1.0, 0.5) == 215
    job = jobs_of(entry(1, JB_priority="-7", JB_nurg="1.0"))["1"]
    assert (job.priority, job.nice) == (1024 - 7 + 215, -(1024 - 7 + 215))


def test_what_steering_has_set_is_told_from_what_others_gave(tmp_path: Path) -> None:
    """The log has the value that each job had; any other value was set by someone else."""
    log = tmp_path / "steering.log"
    given = GivenPriorities(log)
    given.read_on()
    ledger = Ledger(log)
    for to in (30, 40):
        ledger.add("change", T0, job="5", of=0, to=to, base=-100)
    given.read_on()
    # A change may be in the log and not have been made: the one before it counts, too.
    assert [given.base("5", each) for each in (-60, -70, -100, 12)] == [-100, -100, -100, 12]
    ledger.add("change", T0, job="5", of=0, to=8, base=12)
    with log.open("a") as file:
        file.write('{"kind": "cha')
    given.read_on()
    assert [given.base("5", each) for each in (20, -60)] == [12, -60]
    job = jobs_of(entry(5, JB_priority="20"), given=given)["5"]
    assert (job.base, job.site_factor) == (12, 8)


def test_entities_are_refused_and_odd_characters_are_read() -> None:
    """A file that an entity names is never opened; a control character in a name does no harm."""
    bad = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    with pytest.raises(PeerError, match="declares entities"):
        parsed(bad, "qstat")
    with pytest.raises(PeerError, match="not XML"):
        parsed("<x>", "qstat")
    assert parsed("<x>a\x01b</x>", "qstat").text == "a?b"


def _row(job: int, end: int, **more: object) -> str:
    told = {"task": 0, "failed": 0, "exit": 0, "pe_task": "NONE", "category": "-l h_rt=60", **more}
    return ":".join(
        (
            *("day.q", "n1", "ann", "ann", "x", str(job), "sge", "0", str(T0), str(T0 + 5)),
            *(str(end), str(told["failed"]), str(told["exit"]), *["0"] * 18, "NONE", "none"),
            *("NONE", "1", str(told["task"]), "0", "0", "0", str(told["category"]), "0"),
            *(str(told["pe_task"]), "0", "0", "0"),
        )
    )


def test_the_accounting_file_is_read_on(tmp_path: Path) -> None:
    """Requeued jobs, parallel tasks and broken lines are skipped."""
    path = tmp_path / "accounting"
    path.write_text(f"# a comment\n{_row(1, T0 + 20)}\nbroken\n{_row(2, T0 + 9, failed=25)}\n")
    accounting = Accounting(path)
    assert accounting.ended(["1", "2"]) == {"1": ("COMPLETED", T0 + 5, T0 + 20)}
    with path.open("a") as file:
        file.write(f"{_row(3, T0 + 65, task=2, failed=100, exit=137)}\n{_row(4, T0 + 9)[:40]}")
    assert accounting.ended(["3.2", "4"]) == {"3.2": ("TIMEOUT", T0 + 5, T0 + 65)}
    path.write_text(f"{_row(5, T0 + 30, exit=1)}\n")
    assert accounting.ended(["5"]) == {"5": ("FAILED", T0 + 5, T0 + 30)}
    (past,) = Accounting(path).jobs()
    assert (past.id, past.limit_s, past.start, past.end) == ("5", 60, T0 + 5, T0 + 30)
    with pytest.raises(PeerError, match="accounting: No such file"):
        Accounting(tmp_path / "gone" / "accounting").ended(["1"])
