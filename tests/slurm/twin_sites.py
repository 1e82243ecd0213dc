"""Small Slurm sites with jobs that compete."""

from __future__ import annotations

from typing import Any, TypeVar

import polars as pl
from hypothesis import strategies as st

from schedlab.platform import Cluster, Consumable, NodeGroup, NodeType, Partition, Platform
from schedlab.platform.intervals import Drain, Outage, Reservation
from schedlab.slurm import (
    Accounts,
    Association,
    Command,
    PartitionRules,
    Qos,
    SlurmHistory,
    SlurmParameters,
    SlurmSite,
    Switch,
)
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.parameters import (
    ControlSettings,
    PreemptSettings,
    PrioritySettings,
    SelectSettings,
)
from schedlab.slurm.scheduling import SchedulerSettings
from schedlab.workload import Workload

GIB = 1 << 30
USERS, ACCOUNTS, QOS = ("ann", "ben", "cyd"), ("physics", "history"), ("normal", "keen", "scarce")
PARTITIONS = ("batch", "fast", "batch,fast")
CONSTRAINTS = ("old", "old|new")
Picked = TypeVar("Picked")
RARELY = st.sampled_from((False,) * 19 + (True,))
NUMBERS = st.sampled_from((None,) * 4 + (1, 2, 4))


def _machine(draw: st.DrawFn) -> Platform:
    old = NodeType("old", 4, memory_bytes=8 * GIB, features=("old",))
    new = NodeType("new", 8, memory_bytes=16 * GIB, gpus={"v100": 2}, features=("new",))
    groups = (
        NodeGroup(old, hosts="a[1-3]", weight=draw(st.sampled_from((1, 5)))),
        NodeGroup(new, hosts="z[1-2]", weight=draw(st.sampled_from((1, 5)))),
    )
    partitions = (
        Partition("batch", "a[1-3],z[1-2]", default=True),
        Partition("fast", "a3,z1", priority_tier=draw(st.sampled_from((1, 5)))),
    )
    kept = [Reservation(300, 500, "a[1-2]", "m")] if draw(st.booleans()) else []
    closed = draw(st.sampled_from(("", "drains", "outages")))
    drains = (Drain(100, 400, "z2"),) if closed == "drains" else ()
    outages = (Outage(150, 300, "a2"),) if closed == "outages" else ()
    cluster = Cluster(
        "c",
        groups,
        partitions=partitions,
        reservations=tuple(kept),
        drains=drains,
        outages=outages,
    )
    return Platform((cluster,), consumables=(Consumable("matlab", 2),))


def _minutes(draw: st.DrawFn) -> dict[str, int]:
    few = ({"cpu": 5}, {"cpu": 40}, {"mem": 30_000}, {"node": 6, "cpu": 60}, {"billing": 30})
    return dict(draw(st.sampled_from(({},) * 12 + few)))


def _wall_s(draw: st.DrawFn) -> int | None:
    found: int | None = draw(st.sampled_from((None,) * 9 + (120, 600)))
    return found


def _group_minutes(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "grp_tres_mins": _minutes(draw),
        "grp_tres_run_mins": _minutes(draw),
        "grp_wall_s": _wall_s(draw),
    }


@st.composite
def _accounts(draw: st.DrawFn) -> Accounts:
    limits = st.sampled_from(({},) * 8 + ({"cpu": 8}, {"cpu": 16}, {"node": 3}, {"mem": 6000}))
    root = Association("root", shares=1, grp_tres_mins=_minutes(draw), grp_wall_s=_wall_s(draw))
    tree = [root]
    for account in ACCOUNTS:
        above = draw(st.sampled_from(("root", *(each.account for each in tree))))
        tree.append(
            Association(
                account,
                parent=above,
                shares=draw(st.integers(0, 3)),
                shares_of_parent=draw(RARELY),
                grp_jobs=draw(st.sampled_from((None,) * 3 + (2, 6))),
                grp_tres=draw(limits),
                max_jobs=draw(NUMBERS),
                max_tres_mins=_minutes(draw),
                **_group_minutes(draw),
            )
        )
        for user in USERS:
            own = Association(
                account,
                user,
                shares=draw(st.integers(0, 3)),
                shares_of_parent=draw(RARELY),
                priority=draw(st.integers(0, 3)),
                max_tres=draw(limits),
                usage=draw(st.sampled_from((0.0, 0.0, 5_000.0))),
                max_tres_mins=_minutes(draw),
                **_group_minutes(draw),
            )
            tree.append(own)
    qos = (
        Qos(
            "normal",
            priority=1,
            grace_s=draw(st.sampled_from((0, 0, 20))),
            grp_jobs=draw(st.sampled_from((None,) * 3 + (2, 6))),
            flags=draw(st.sampled_from(((), ("NoDecay",)))),
            **_group_minutes(draw),
        ),
        Qos(
            "keen",
            priority=9,
            flags=draw(st.sampled_from(((), ("OverPartQOS",), ("UsageFactorSafe",)))),
            grp_jobs=draw(NUMBERS),
            preempt=("normal",),
            usage_factor=draw(st.sampled_from((2.0, 2.0, 0.3, 0.0))),
            max_tres_mins_per_job=_minutes(draw),
        ),
        Qos(
            "scarce",
            max_jobs_per_user=draw(NUMBERS),
            max_tres_per_user=draw(limits),
            **_group_minutes(draw),
        ),
    )
    return Accounts(tuple(tree), qos)


@st.composite
def _parameters(draw: st.DrawFn) -> SlurmParameters:
    weights = st.sampled_from((0, 100, 1000))
    few = st.sampled_from((0, 0, 2))
    return SlurmParameters(
        scheduler=SchedulerSettings(
            type=draw(st.sampled_from(("sched/backfill", "sched/backfill", "sched/builtin"))),
            assoc_limit_stop=draw(st.booleans()),
            bf_interval_s=draw(st.sampled_from((10, 30))),
            bf_max_job_test=draw(st.sampled_from((500, 5))),
            bf_max_time_s=draw(st.sampled_from((0, 0, 1))),
            bf_max_job_user=draw(few),
            bf_max_job_part=draw(few),
            bf_max_job_start=draw(few),
            bf_max_job_array_resv=draw(st.sampled_from((20, 1))),
            bf_max_job_user_part=draw(few),
            bf_max_job_assoc=draw(few),
            bf_job_part_count_reserve=draw(few),
            bf_min_prio_reserve=draw(st.sampled_from((0, 0, 500))),
            bf_min_age_reserve_s=draw(st.sampled_from((0, 0, 60))),
            bf_one_resv_per_job=draw(st.booleans()),
            bf_window_linear_s=draw(st.sampled_from((0, 30))),
            partition_job_depth=draw(few),
            sched_max_job_start=draw(few),
            default_queue_depth=draw(st.sampled_from((100, 3))),
            kill_invalid_depend=draw(st.booleans()),
            preempt_youngest_first=draw(st.booleans()),
        ),
        priority=PrioritySettings(
            type=draw(st.sampled_from(("priority/multifactor",) * 3 + ("priority/basic",))),
            weight_age=draw(weights),
            weight_assoc=draw(weights),
            weight_fairshare=draw(weights),
            weight_job_size=draw(weights),
            weight_partition=draw(weights),
            weight_qos=draw(weights),
            weight_tres=draw(st.sampled_from(({}, {"cpu": 50.0, "mem": 3.0}))),
            max_age_s=600,
            decay_half_life_s=draw(st.sampled_from((0, 300))),
            calc_period_s=60,
            favor_small=draw(st.booleans()),
            flags=draw(
                st.lists(
                    st.sampled_from(
                        ("NO_FAIR_TREE", "SMALL_RELATIVE_TO_TIME", "NO_NORMAL_TRES", "MAX_TRES")
                    ),
                    max_size=2,
                ).map(tuple)
            ),
        ),
        select=SelectSettings(
            type=draw(st.sampled_from(("select/cons_tres", "select/cons_tres", "select/linear"))),
            parameters=draw(st.sampled_from((("CR_CORE_MEMORY",), ("CR_CORE",)))),
            topology_plugin=draw(st.sampled_from(("topology/none", "topology/tree"))),
            def_mem_per_cpu_mb=draw(st.none() | st.just(500)),
        ),
        preempt=PreemptSettings(
            type=draw(st.sampled_from(("preempt/none", "preempt/qos", "preempt/partition_prio"))),
            mode=draw(st.sampled_from((("REQUEUE",), ("CANCEL",), ("SUSPEND", "GANG"), ("GANG",)))),
            exempt_time_s=draw(st.sampled_from((0, 60))),
        ),
        control=ControlSettings(
            enforce=draw(st.sampled_from((("limits",), ("limits", "safe")))),
            over_time_limit_s=draw(st.sampled_from((0, 60))),
            job_requeue=draw(st.booleans()),
            return_to_service=draw(st.sampled_from((0, 2))),
        ),
    )


def _job(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """Return a job that the machine could hold if there were no limits.

    Bytes pick its fields: one draw of many is quicker than a draw for each.
    """
    drawn = iter(draw(st.binary(min_size=40, max_size=40)))

    def pick(*values: Picked) -> Picked:
        return values[next(drawn) % len(values)]

    def rarely() -> bool:
        return pick(*(False,) * 19, True)

    def dependency() -> str | None:
        if number == 1 or pick(*range(8)):
            return None
        kind = pick("after", "afterok", "afternotok", "afterany", "aftercorr", "singleton")
        return kind if kind == "singleton" else f"{kind}:{pick(*range(1, number))}"

    partition = pick(0, 0, 0, 1, 2)
    gpus = pick(0, 0, 0, 1)
    small = partition != 0 or gpus > 0
    tasks = pick(*(1, 1, 2, 3) if small else (1, 2, 4, 6, 10))
    spread = pick("any", "nodes", "per node")
    nodes = min(tasks, pick(*range(1, 2 if small else 4)))
    run_s = pick(0, 5, 40, 90, 300)
    submit_s = pick(*range(0, 400, 4)) + pick(0, 1, 2, 3) + pick(0.0, 0.25, 0.9)
    ran = rarely()
    return {
        "tasks": tasks,
        "cores_per_task": pick(1, 1, 2) if tasks <= 2 else 1,
        "tasks_per_node": min(tasks, 2) if spread == "per node" else -1,
        "nodes": -(-tasks // 2) if spread == "per node" else nodes,
        "memory_per_node_kb": pick(-1, -1, 1 << 20, 3 << 20),
        "gpus_per_node": gpus,
        "exclusive": int(rarely()),
        "request_s": pick(60, 120, 600),
        "run_s": run_s,
        "user": pick(*range(len(USERS))),
        "account": pick(*range(len(ACCOUNTS))),
        "qos": pick(*range(len(QOS))),
        "partition": partition,
        "constraint": pick(*(-1, -1, -1, 1) if small else (-1, -1, -1, 0, 1)),
        "licences": pick(-1, -1, 0),
        "array_limit": -1,
        "details": {
            "slurm_id": str(number),
            "submit_s": submit_s,
            "ran_before": ran,
            "start_s": submit_s + pick(0, 7) if ran else None,
            "hosts": pick("a1", "z[1-2]", "a3,z1") if ran else None,
            "true_run_s": float(run_s),
            "min_nodes": nodes if spread == "nodes" else None,
            "dependency": dependency(),
            "nice": pick(0, 0, 50),
            "held": rarely(),
            "reservation": pick(*(None,) * 20, "m"),
            "exit_code": pick(0, 0, 1),
            "may_requeue": pick(None, True, False),
            "suspended_s": pick(None, None, None, 50),
        },
    }


def _tasks(draw: st.DrawFn, job: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the job, or an array of its tasks; some arrays limit how many run at a time."""
    tasks = draw(st.sampled_from((0,) * 9 + (1, 3, 5)))
    if not tasks or job["details"]["ran_before"]:
        return [job]
    throttle = draw(st.sampled_from((-1, -1, 1, 2)))
    found = []
    for task in range(tasks):
        run_s = draw(st.sampled_from((0, 5, 40, 90, 300)))
        name = f"{job['details']['slurm_id']}_{task}"
        own = {"slurm_id": name, "true_run_s": float(run_s), "exit_code": draw(st.integers(0, 1))}
        details = job["details"] | own
        found.append(job | {"run_s": run_s, "array_limit": throttle, "details": details})
    return found


def _commands(draw: st.DrawFn, jobs: int) -> tuple[Command, ...]:
    number = st.integers(1, jobs)
    texts = st.one_of(
        number.map(lambda x: f"scancel {x}"),
        number.map(lambda x: f"scontrol hold {x}"),
        number.map(lambda x: f"scontrol release {x}"),
        number.map(lambda x: f"scontrol requeue {x}"),
        number.map(lambda x: f"scontrol update JobId={x} Nice=200"),
        number.map(lambda x: f"scontrol update JobId={x} ArrayTaskThrottle={x % 3}"),
        number.map(lambda x: f"scancel {x}_1"),
        st.sampled_from(
            [
                "scontrol update NodeName=z1 State=DRAIN Reason=x",
                "scontrol update NodeName=z1 State=RESUME",
                "scontrol update NodeName=a1 State=DOWN Reason=x",
                "scontrol update PartitionName=fast State=DOWN",
                "scontrol update PartitionName=fast State=UP",
                "scontrol delete ReservationName=m",
                "scontrol create reservation ReservationName=m StartTime=2001-09-09T01:53:20 "
                "Duration=2 Nodes=a3",
                "scontrol create reservation ReservationName=c StartTime=2001-09-09T01:50:00 "
                "Duration=3 Nodes=a[1-3] CoreCnt=6",
                "scontrol top 1",
            ]
        ),
    )
    times = sorted(draw(st.lists(st.integers(0, 700), max_size=4)))
    found = [Command(at + 0.5, draw(texts)) for at in times]
    for at in draw(st.lists(st.integers(0, 700), max_size=3)):
        job, later = draw(number), at + draw(st.sampled_from((0, 20, 45, 130)))
        found.append(Command(at + 0.25, f"scontrol suspend {job}"))
        found.append(Command(later + 0.6, f"scontrol resume {job}"))
    return tuple(sorted(found, key=lambda command: command.at_s))


@st.composite
def twin_sites(draw: st.DrawFn, max_jobs: int = 12) -> SlurmSite:
    """Return a site of five unlike nodes, with a history of jobs that ask for more than it has."""
    jobs = draw(st.integers(1, max_jobs))
    rows = [row for number in range(1, jobs + 1) for row in _tasks(draw, _job(draw, number))]
    rows.sort(key=lambda row: int(row["details"]["submit_s"]))
    details = [row.pop("details") for row in rows]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns["job_id"] = list(range(1, len(rows) + 1))
    columns["submit_s"] = [int(each["submit_s"]) for each in details]
    labels = {
        "user": USERS,
        "account": ACCOUNTS,
        "qos": QOS,
        "partition": PARTITIONS,
        "constraint": CONSTRAINTS,
        "licences": ("matlab:1",),
    }
    workload = Workload(columns, header={"UnixStartTime": ["1000000000"]}, labels=labels)
    frame = pl.DataFrame(details, infer_schema_length=None)
    return SlurmSite(
        _machine(draw),
        draw(_parameters()),
        draw(_accounts()),
        (
            PartitionRules(
                "batch",
                priority_job_factor=1,
                over_subscribe=draw(st.sampled_from(("NO", "NO", "NO", "FORCE"))),
                over_subscribe_jobs=draw(st.sampled_from((1, 2, 3))),
                grace_s=draw(st.sampled_from((0, 0, 20))),
                billing_weights=draw(
                    st.sampled_from(({}, {}, {"cpu": 1.0, "mem": 0.001, "gres/gpu": 8.0}))
                ),
            ),
            PartitionRules(
                "fast",
                priority_job_factor=3,
                over_subscribe=draw(st.sampled_from(("NO", "NO", "EXCLUSIVE", "FORCE"))),
                grace_s=draw(st.sampled_from((0, 0, 40))),
                qos=draw(st.sampled_from((None, "scarce"))),
            ),
        ),
        switches=(Switch("s1", "a[1-2]"), Switch("s2", "a3,z1"), Switch("s3", "z2")),
        history=SlurmHistory(workload, frame, _commands(draw, jobs)),
    )


def clocks() -> st.SearchStrategy[Clocks]:
    """Return any phases of slurmctld's loops."""
    return st.builds(
        Clocks,
        tick_s=st.floats(-1, 0),
        backfill_s=st.floats(-30, 0),
        limits_s=st.integers(-30, 0).map(float),
        priority_s=st.floats(-60, 0),
        full_s=st.floats(-60, 0),
    )
