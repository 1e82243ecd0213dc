"""The plain twin of slurmctld: its rules in small cases, and the phases of a real one.

The file is long, since each rule has its own case and all are replayed in the same way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from tests.slurm.tiny_site import CONF, SCRIPT, job, run

from schedlab.errors import ParameterError, WorkloadError
from schedlab.slurm import Qos, SlurmHistory, SlurmSite
from schedlab.slurm.changes import changed_site, present_values
from schedlab.slurm.clocks import Clocks, clocks_from_boot, drawn_clocks
from schedlab.slurm.plain.conditions import SlurmCondition, parse_conditions
from schedlab.slurm.plain.controller import Controller
from schedlab.slurm.plain.jobs import jobs_of
from schedlab.slurm.plain.limits import LimitMeasure, SlurmLimits
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.plain.plan import BackfillPlan
from schedlab.slurm.replay import not_replayed, phases_of, replay

CLOCKS = Clocks(tick_s=0.9, backfill_s=20.0, limits_s=0.0, priority_s=300.0, full_s=0.0)


def starts(site: SlurmSite) -> list[float]:
    """Return when jobs start, to the second; -1 for never."""
    found = replay(site, CLOCKS).start_s.tolist()
    return [-1 if math.isnan(each) else math.floor(each) for each in found]


def test_a_submitted_job_waits_for_the_loop(make) -> None:  # type: ignore[no-untyped-def]
    """The loop runs every second, and calls the main scheduler 3 s after it did so before."""
    assert starts(make(job(1, 1.5, 4, 60, 5), job(2, 2.5, 4, 60, 5))) == [1, 4]


def test_a_job_is_killed_when_limits_are_tested(make) -> None:  # type: ignore[no-untyped-def]
    """The limit is reached at 61 s; limits are tested every 30 s."""
    made = replay(make(job(1, 1, 4, 60, math.inf)), CLOCKS)
    assert 90 <= made.end_s[0] < 92


def test_the_small_leaf_is_used_first(make) -> None:  # type: ignore[no-untyped-def]
    """z1 is alone on its switch; the next job must go to the other switch, by name."""
    made = replay(make(job(1, 1, 4, 60, 50), job(2, 1.1, 4, 60, 50)), CLOCKS)
    assert made.nodes == ((3,), (0,))


def test_the_main_scheduler_stops_at_the_first_job_that_does_not_fit(make) -> None:  # type: ignore[no-untyped-def]
    """Job 3 would fit, but job 2 comes before it; backfill starts it at 20 s."""
    site = make(job(1, 1, 8, 600, 100), job(2, 2, 12, 600, 10), job(3, 3, 4, 60, 10))
    assert starts(site)[2] == 20
    builtin = changed_site(site, ["SchedulerType=sched/builtin"])
    assert starts(builtin)[2] > 100


def test_backfill_does_not_delay_what_it_has_planned(make) -> None:  # type: ignore[no-untyped-def]
    """Job 3 would run beyond the planned start of job 2 on all nodes, job 4 ends before it."""
    site = make(
        job(1, 1, 8, 240, 200),
        job(2, 2, 16, 600, 10),
        job(3, 3, 4, 1200, 10),
        job(4, 3.5, 4, 60, 10),
    )
    first, second, third, fourth = starts(site)
    assert fourth == 20
    assert first < fourth < second <= third


def test_a_higher_tier_comes_first(make) -> None:  # type: ignore[no-untyped-def]
    """Both jobs wait for z1; the one in the partition of the higher tier gets it."""
    site = make(
        job(1, 1, 4, 60, 30, constraint="new"),
        job(2, 5, 4, 60, 30, constraint="new"),
        job(3, 6, 4, 60, 30, partition="fast"),
    )
    first, second, third = starts(site)
    assert first < third < second


def test_limits_and_licences_skip_a_job(make) -> None:  # type: ignore[no-untyped-def]
    """The second job of each pair waits for the first; no other job waits for it."""
    site = make(
        job(1, 1, 1, 60, 40, qos="scarce"),
        job(2, 1, 1, 60, 5, qos="scarce"),
        job(3, 1, 1, 60, 40, licenses="matlab:1"),
        job(4, 1, 1, 60, 5, licenses="matlab:1"),
        job(5, 1, 1, 60, 5, qos="scarce", user="ben"),
    )
    found = starts(site)
    assert found[0] == found[2] == found[4] == 1
    assert found[1] > 41
    assert found[3] > 41


def test_arrays_and_dependencies(make) -> None:  # type: ignore[no-untyped-def]
    """Two tasks at a time; a job after all tasks; one that can never run; a pair of namesakes."""
    site = make(
        job(1, 1, 1, 60, 20, array="0-2%2"),
        job(2, 1, 1, 60, 5, dependency_ids="afterany:1"),
        job(3, 1, 1, 60, 5, dependency_ids="afternotok:2"),
        job(4, 1, 1, 60, 20, name="twice"),
        job(5, 1, 1, 60, 5, name="twice", dependency_ids="singleton"),
    )
    first, second, third, after, never, once, again = starts(site)
    assert (first, second, never) == (1, 1, -1)
    assert 21 <= third < 30
    assert after > third + 20
    assert again > once + 20


def test_holds_and_releases_are_obeyed(make) -> None:  # type: ignore[no-untyped-def]
    """A job submitted with --hold starts after its release; an unknown command is reported."""
    events = (
        "planned_offset_s|offset_s|took_s|rc|job|command|output\n"
        "50|50.0|0.01|0|job1|scontrol release 1|\n60|60.0|0.01|0||scontrol reconfigure|\n"
    )
    site = make(job(1, 1, 1, 60, 5, hold="1"), events=events)
    assert 50 <= starts(site)[0] < 60
    assert any("scontrol reconfigure" in each for each in not_replayed(site))


PREEMPT = CONF + "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nJobRequeue=1\n"


def test_a_preempted_job_waits_for_its_credential(make) -> None:  # type: ignore[no-untyped-def]
    """Job 3 takes the place of the job with the lower number; that one comes back after 121 s."""
    site = make(
        *(job(number, 1, 8, 600, 300) for number in (1, 2)),
        job(3, 10, 8, 600, 5, qos="keen"),
        conf=PREEMPT,
    )
    made = replay(site, CLOCKS)
    assert [math.floor(each) for each in made.start_s] == [1, 1, 11]
    assert math.floor(made.last_start_s[0]) >= 10 + 121
    assert math.floor(made.last_start_s[1]) == 1


def test_reservations_keep_nodes_free(make) -> None:  # type: ignore[no-untyped-def]
    """All nodes are reserved from 100 to 160 s: a job of 200 s waits, one of 60 s does not.

    Node a1 is drained until 300 s; a2 goes down under its job, which waits for 121 s and for room.
    """
    begin = datetime.fromtimestamp(1_000_000_100, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    events = (
        "offset_s|rc|command\n"
        f"0|0|scontrol create reservation ReservationName=m StartTime={begin} Duration=1 "
        "Nodes=a[1-3],z1 Flags=MAINT\n"
        "0|0|scontrol update NodeName=a1 State=DRAIN\n"
        "20|0|scontrol update NodeName=a2 State=DOWN\n"
        "300|0|scontrol update NodeName=a[1-2] State=RESUME\n"
    )
    site = make(
        job(1, 1, 4, 60, 40, constraint="old"),
        job(2, 1, 4, 240, 40, constraint="new"),
        job(3, 30, 12, 60, 5, constraint="old"),
        conf=CONF + "JobRequeue=1\n",
        events=events,
    )
    made = replay(site, CLOCKS)
    assert math.floor(made.start_s[0]) == 3  # the commands have called the scheduler at 0 s
    assert made.nodes[0] == (1,)
    assert made.last_start_s[0] >= 20 + 121
    assert made.start_s[1] >= 160
    assert made.start_s[2] >= 300
    assert not_replayed(site) == []


def test_plans_keep_nodes_apart() -> None:
    """A planned node is not free before or while its job runs; the rest is."""
    plan = BackfillPlan(0, 600, 3)
    every = frozenset({0, 1, 2})
    assert plan.free_between(0, 60, every) == (every, None)
    plan.reserve(120, 240, {1})
    assert plan.free_between(0, 60, every) == (every, 240)
    assert plan.free_between(0, 60, frozenset({0, 2})) == (frozenset({0, 2}), None)
    assert plan.free_between(0, 120, every) == (frozenset({0, 2}), 240)
    assert plan.free_between(240, 300, every) == (every, None)
    assert plan.collides(200, 300, {1})
    assert not plan.collides(240, 300, {1})
    assert [(each.begin_s, each.end_s) for each in plan.records] == [
        (0, 120),
        (120, 240),
        (240, 600),
    ]


def test_conditions_are_read() -> None:
    """Lists with and, lists with or, several jobs and minutes are read; other kinds are refused."""
    found = parse_conditions("afterok:1:2+3,singleton")
    assert [each.kind for each in found.each] == ["afterok", "afterok", "singleton"]
    assert found.each[1] == SlurmCondition("afterok", "2", 180)
    assert parse_conditions("afterok:1?afterany:2").one_will_do
    with pytest.raises(WorkloadError, match='no kind "later"'):
        parse_conditions("later:1")


def test_plans_that_meet_become_one() -> None:
    """Slurm joins one pair of equal records at a time, so a job may look beyond several plans."""
    plan = BackfillPlan(0, 900, 2)
    for minute in range(1, 5):
        plan.reserve(60 * minute, 60 * minute + 60, {1})
    assert [(each.begin_s, each.end_s) for each in plan.records] == [(0, 60), (60, 300), (300, 900)]
    assert plan.free_between(60, 120, frozenset({0, 1})) == (frozenset({0}), 300)


def test_a_preempted_job_has_its_grace_time(make) -> None:  # type: ignore[no-untyped-def]
    """It is marked at 10 s, may run for 25 s more, and is ended by the next test of limits."""
    preempts = "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nJobRequeue=1\n"
    script = SCRIPT + "modify QOS set normal GraceTime=25\n"
    low, high = job(1, 1, 16, 600, 500), job(2, 10, 16, 600, 5, qos="keen")
    made = replay(make(low, high, conf=CONF + preempts, script=script), CLOCKS)
    assert 60 < made.start_s[1] < 62  # limits are tested at 30 s (too early) and at 60 s
    at_once = replay(make(low, high, conf=CONF + preempts), CLOCKS)
    assert 10 < at_once.start_s[1] < 14


def test_a_reservation_of_cores_leaves_the_others(make) -> None:  # type: ignore[no-untyped-def]
    """Two of the four cores of every node are kept: a job of two cores fits, one of three waits."""
    begin = datetime.fromtimestamp(1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    events = (
        "offset_s|rc|command\n"
        f"0|0|scontrol create reservation ReservationName=c StartTime={begin} Duration=2 "
        "Nodes=a[1-3],z1 CoreCnt=8\n"
    )
    assert starts(make(job(1, 5, 2, 60, 5), job(2, 6, 3, 60, 5), events=events)) == [5, 120]


def test_jobs_are_billed_as_the_partition_says(make) -> None:  # type: ignore[no-untyped-def]
    """A CPU costs 1 and a GiB 2: the job of 3 GiB is billed 7, or 6 where the most counts."""
    weights = ' TRESBillingWeights="CPU=1.0,Mem=2.0G"'
    for flags, billing in (("", 7.0), ("PriorityFlags=MAX_TRES\n", 6.0)):
        conf = CONF.replace("Default=YES", f"Default=YES{weights}") + flags
        site = make(job(1, 1, 1, 60, 5, memory_mb="3072"), conf=conf)
        controller = Controller(site, CLOCKS)
        controller.run()
        assert controller.jobs[0].billing == billing


def test_jobs_share_cores_where_they_must(make) -> None:  # type: ignore[no-untyped-def]
    """FORCE:2 lets two jobs onto a core once none is idle; memory is not shared."""
    jobs = [job(1, 1, 16, 600, 300), job(2, 2, 4, 600, 5), job(3, 3, 4, 600, 5, memory_mb="8000")]
    assert starts(make(*jobs))[1] > 300
    conf = CONF.replace("Default=YES", "Default=YES OverSubscribe=FORCE:2")
    site = make(*jobs, conf=conf)
    assert starts(site)[1] == 4
    assert starts(site)[2] > 300
    assert not_replayed(site) == []


def test_a_job_beyond_a_limit_lets_others_pass(make) -> None:  # type: ignore[no-untyped-def]
    """Slurm asks for limits before it looks for nodes, and such a job closes no partition."""
    script = SCRIPT + "modify account set physics GrpTRES=cpu=12\n"
    jobs = (job(1, 1, 8, 600, 300), job(2, 2, 16, 600, 5), job(3, 3, 4, 600, 5))
    conf = CONF.replace("sched/backfill", "sched/builtin")
    assert starts(make(*jobs, conf=conf, script=script))[2] == 4
    assert starts(make(*jobs, conf=conf))[2] > 300


def test_an_unimportant_job_keeps_nobody_waiting(make) -> None:  # type: ignore[no-untyped-def]
    """With bf_min_prio_reserve, blocked job 2 does not close its partition: job 3 passes it."""
    jobs = (job(1, 1, 8, 600, 300), job(2, 2, 16, 600, 5), job(3, 3, 4, 600, 5))
    conf = CONF.replace("bf_continue", "bf_continue,bf_min_prio_reserve=100000")
    assert starts(make(*jobs, conf=conf))[2] == 4


def test_the_configuration_can_be_changed(make) -> None:  # type: ignore[no-untyped-def]
    """Names are those of slurm.conf, in any case; for a wrong name the error gives near ones."""
    site = make(job(1, 1, 1, 60, 5))
    other = changed_site(site, ["bf_interval=10", "priorityweightage=7"])
    assert other.parameters.scheduler.bf_interval_s == 10
    assert present_values(other)["PriorityWeightAge"] == 7
    assert site.parameters.scheduler.bf_interval_s == 30
    for change, said in {
        "bf_intervall=10": "SchedulerParameters.bf_interval",
        "bf_interval": "has no =",
        "max_switch_wait=3": "not replayed by the twin",
        "bf_interval=soon": "must be a whole number",
    }.items():
        with pytest.raises(ParameterError, match=said):
            changed_site(site, [change])


def test_the_commands_print_tables(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A history without starts is enough for what-if, but not for fidelity."""
    make(job(1, 1, 12, 60, 50), job(2, 1, 16, 60, 5), job(3, 2, 4, 60, 5))
    code, said = run("what-if", tmp_path / "site", "--set", "bf_interval=5", "--phases", 2)
    assert (code, "changed s" in said) == (0, True), said
    code, said = run(
        "what-if", tmp_path / "site", "--set", "bf_interval=5", "--phases", 2, "--json"
    )
    assert json.loads(said)["rows"][0]["jobs"] == 3
    code, said = run("what-if", tmp_path / "site", "--add-nodes", "4:z1", "--phases", 2, "--json")
    assert json.loads(said)["rows"][0]["difference"] < 0  # jobs 1 and 2 run side by side
    code, said = run("what-if", tmp_path / "site")
    assert (code, "give --set, --add-nodes" in said) == (2, True), said
    code, said = run("fidelity", tmp_path / "site")
    assert (code, "does not say when jobs started" in said) == (2, True), said
    code, said = run("fidelity", tmp_path / "site", "--from-log")
    assert (code, "clocks.toml" in said) == (2, True), said


def test_another_policy_stands_beside_the_twin(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """EASY starts job 3 at once; under Slurm it waits for backfill's next cycle."""
    make(job(1, 1, 8, 600, 100), job(2, 2, 12, 600, 10), job(3, 3, 4, 60, 10))
    code, said = run("what-if", tmp_path / "site", "--policy", "easy", "--phases", 2, "--json")
    assert code == 0, said
    told = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert told["policy"] == "easy"
    every = told["rows"][0]
    assert every["jobs"] == 3
    assert every["after_s"]["mean"] == pytest.approx((0 + 99 + 0) / 3, abs=1)
    assert every["before_s"]["mean"] > every["after_s"]["mean"]
    for wrong, says in (
        (["--policy", "eazy"], 'did you mean "easy"'),
        (["--policy", "easy", "--set", "bf_interval=5"], "takes the place of Slurm"),
        ([], "nothing is changed"),
    ):
        code, said = run("what-if", tmp_path / "site", *wrong)
        assert (code, says in said) == (2, True), said


def test_a_parameter_that_is_not_heeded_is_told(make) -> None:  # type: ignore[no-untyped-def]
    """The site sets a parameter that decides about starts in Slurm."""
    conf = CONF.replace("bf_continue", "bf_continue,max_switch_wait=3")
    assert not_replayed(make(job(1, 1, 1, 60, 5), conf=conf)) == ["not replayed: max_switch_wait=3"]


def test_phases_are_drawn_by_seed(make) -> None:  # type: ignore[no-untyped-def]
    """The same seed draws the same phases; after a boot long ago, any of them is possible."""
    site = make(job(1, 1, 1, 60, 5))
    assert phases_of(site, 3, 5) == phases_of(site, 3, 5)
    assert phases_of(site, 1, 5) != phases_of(site, 1, 6)
    drawn = [drawn_clocks(0.0, site.parameters, seed).backfill_s for seed in range(50)]
    assert min(drawn) < -20 < -10 < max(drawn) <= 0


@pytest.mark.parametrize(
    ("boot_s", "interval_s", "first_main_s", "second_backfill_s"),
    [
        (-60, 30, 3.98, 0.703),
        (-75, 30, 4.64, 0.379),
        (-75, 30, 4.18, 0.917),
        (-60, 10, 4.71, 0.414),
    ],
)
def test_one_fraction_of_a_second_decides_all_phases_of_a_boot(  # type: ignore[no-untyped-def]
    boot_s: float, interval_s: int, first_main_s: float, second_backfill_s: float, make
) -> None:
    """Logs of a real Slurm had these moments: while no job waits, backfill looks every second.

    They count from the boot to the first run of the main scheduler, and from the first submission
    to the cycle of backfill that sees it.
    """
    conf = CONF.replace("bf_continue", f"bf_continue,bf_interval={interval_s}")
    parameters = make(job(1, 1, 1, 60, 5), conf=conf).parameters
    drawn = (clocks_from_boot(boot_s, parameters, seed) for seed in range(500))
    same = min(
        drawn, key=lambda each: abs(each.tick_s + 3 * each.tick_period_s - boot_s - first_main_s)
    )
    seen = same.since(0.0, parameters, is_idle=True)
    assert seen.backfill_s == pytest.approx(second_backfill_s, abs=0.06)
    busy = same.since(0.0, parameters)
    assert (busy.backfill_s - same.backfill_s) % interval_s == pytest.approx(0)


def test_a_gpu_job_leaves_its_nodes_lighter(make) -> None:  # type: ignore[no-untyped-def]
    """Slurm notes near GPUs in the weight of a node, which affects where the next job goes."""
    conf = "GresTypes=gpu\n" + CONF.replace("Feature=new", "Feature=new Gres=gpu:2")
    site = make(job(1, 1, 8, 60, 5), job(2, 2, 1, 60, 5, gpus="1"), conf=conf)
    selector, (wide, wants) = Selector(site), jobs_of(site)
    rooms, everywhere = selector.all_free(), range(4)
    assert selector.pick(wide, "batch", rooms, everywhere) == [0, 1]
    selector.test(wants, "batch")
    assert selector.pick(wide, "batch", rooms, everywhere) == [3, 0]
    selector.forget_gpus(wide, "batch")
    assert selector.pick(wide, "batch", rooms, everywhere) == [0, 1]


@pytest.mark.parametrize(
    ("flags", "jobs", "cpus"), [((), 2, {"cpu": 8, "node": 1}), (("OverPartQOS",), 1, {"cpu": 4})]
)
def test_the_qos_of_a_partition_comes_first(
    make: Callable[..., SlurmSite], flags: tuple[str, ...], jobs: int, cpus: dict[str, int]
) -> None:
    """Limits that it does not set are those of the job's QOS; OverPartQOS reverses the order."""
    site = make(job(1, 0, 1, 60, 5, qos="scarce", partition="fast"))
    own = Qos("scarce", max_jobs_per_user=1, max_tres_per_user={"cpu": 4}, flags=flags)
    roomy = Qos("roomy", max_jobs_per_user=2, max_tres_per_user={"cpu": 8, "node": 1})
    rules = tuple(
        replace(each, qos="roomy") if each.name == "fast" else each for each in site.partitions
    )
    site = replace(site, accounts=replace(site.accounts, qos=(own, roomy)), partitions=rules)
    limits = SlurmLimits(site)
    by_user = [
        each for each in limits.bounds(jobs_of(site)[0], "fast") if each.whose[:1] == ("qos user",)
    ]
    assert [each.most for each in by_user if each.measure is LimitMeasure.JOBS] == [jobs]
    first = {each.tres: each.most for each in by_user if each.whose[1] == by_user[0].whose[1]}
    assert first == {"": jobs, **cpus}
    rest = {each.tres: each.most for each in by_user if each.whose[1] != by_user[0].whose[1]}
    assert rest == ({"node": 1} if flags else {})
    counted = {each[1] for each in limits.whose(jobs_of(site)[0], "fast") if "qos" in each[0]}
    assert counted == {"scarce", "roomy"}, "both are counted"


SUSPENSION = (
    "planned_offset_s|offset_s|took_s|rc|job|command|output\n"
    "20|20.0|0.01|0|job1|scontrol suspend 1|\n50|50.0|0.01|0|job1|scontrol resume 1|\n"
)


def test_a_suspended_job_ends_later_and_others_have_its_cpus(make) -> None:  # type: ignore[no-untyped-def]
    """Job 1 holds all CPUs. It stands still for 30 s, in which job 2 runs, and job 3 begins.

    Job 3 has not ended when job 1 goes on: they share their node, and job 4 waits for job 3 alone.
    """
    site = make(
        job(1, 1, 16, 600, 100),
        job(2, 2, 4, 600, 5),
        job(3, 2, 4, 600, 100, constraint="new"),
        job(4, 60, 4, 600, 5, constraint="new"),
        events=SUSPENSION,
    )
    made = replay(site, CLOCKS)
    assert made.end_s[0] - made.start_s[0] == pytest.approx(130, abs=1)
    assert 20 <= made.start_s[1] < 25
    assert made.end_s[2] - made.start_s[2] == pytest.approx(100, abs=1)
    assert made.end_s[2] <= made.start_s[3] < made.end_s[0]


def test_the_memory_of_a_suspended_job_stays_its_own(make) -> None:  # type: ignore[no-untyped-def]
    """A suspended job frees its CPUs, but not its memory."""
    site = make(
        job(1, 1, 4, 600, 100, memory_mb="8000", constraint="new"),
        job(2, 2, 4, 600, 5, constraint="new"),
        events=SUSPENSION,
    )
    made = replay(site, CLOCKS)
    assert made.start_s[1] >= made.end_s[0]


def test_the_limit_of_a_suspended_job_stands_still(make) -> None:  # type: ignore[no-untyped-def]
    """It had run for 19 s of 60 s when it was suspended; from 50 s on it has 41 s left."""
    made = replay(make(job(1, 1, 4, 60, math.inf), events=SUSPENSION), CLOCKS)
    assert 91 <= made.end_s[0] <= 121


def test_a_history_may_not_tell_when_jobs_were_suspended(make) -> None:  # type: ignore[no-untyped-def]
    """A job that ran for 150 s with a limit of 60 s was suspended for 90 s or more."""
    site = make(job(1, 1, 4, 60, 150))
    assert site.history is not None
    known = {"start_s": 1.0, "end_s": 151.0, "state": "COMPLETED"}
    for suspended_s, ran_s in ((100, 150), (30, 90)):
        row = site.history.details.to_dicts()[0] | known | {"suspended_s": suspended_s}
        details = pl.DataFrame([row], schema=site.history.details.schema)
        told = replace(site, history=SlurmHistory(site.history.workload, details))
        made = replay(told, CLOCKS)
        assert ran_s <= made.end_s[0] - made.start_s[0] <= ran_s + 31


GANG = CONF + "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n"


def test_jobs_of_a_higher_tier_suspend_others(make) -> None:  # type: ignore[no-untyped-def]
    """Job 2 has the CPUs of job 1 for 30 s, at once; job 1 goes on when it has ended.

    Job 3 fits beside job 1, and takes nothing from it.
    """
    site = make(
        job(1, 1, 4, 600, 100, constraint="new"),
        job(2, 10, 4, 600, 30, partition="fast"),
        conf=GANG,
    )
    made = replay(site, CLOCKS)
    assert made.start_s[1] < 15
    assert made.end_s[1] - made.start_s[1] == pytest.approx(30, abs=1)
    assert made.end_s[0] - made.start_s[0] == pytest.approx(130, abs=1)
    beside = make(
        job(1, 1, 2, 600, 100, constraint="new"),
        job(3, 10, 2, 600, 30, partition="fast"),
        conf=GANG,
    )
    made = replay(beside, CLOCKS)
    assert made.end_s[0] - made.start_s[0] == pytest.approx(100, abs=1)


def test_jobs_of_a_higher_tier_do_not_get_the_memory_of_others(make) -> None:  # type: ignore[no-untyped-def]
    """A suspended job stays in memory."""
    site = make(
        job(1, 1, 4, 600, 100, constraint="new", memory_mb="8000"),
        job(2, 10, 4, 600, 30, partition="fast"),
        conf=GANG,
    )
    made = replay(site, CLOCKS)
    assert made.start_s[1] >= made.end_s[0]
