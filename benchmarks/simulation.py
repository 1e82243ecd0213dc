"""How fast the simulator is, and how its cost grows."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from tests.platform.test_demand_real_week import RENAME, UB_HPC

from benchmarks.peers import BareLoop, accasim_rate, accasim_shared_rate, reference_rate
from benchmarks.table import Row
from schedlab import Simulation, Workload, simulate
from schedlab.experiments import find_experiment, read_experiment, run_experiment
from schedlab.platform import Platform, read_platform
from schedlab.policies.lookahead import lookahead
from schedlab.workload import apply, generate, read_workload

TARGETS = {
    "fcfs": 300_000.0,
    "easy": 300_000.0,
    "sjf+easy": 300_000.0,
    "conservative": 30_000.0,
    "wrsabf-or:depth=100": 100_000.0,
    "wrsabf-ar:depth=100": 20_000.0,
    "easy:predict=regression": 100_000.0,
}


def lublin(jobs: int, nodes: int, load: float = 0.9) -> Workload:
    """Return Lublin jobs at this offered load, the workload of every figure here."""
    return apply(generate(f"lublin:nodes={nodes}", jobs, seed=1), [f"load={load}:{nodes}"])


def rate(workload: Workload, nodes: int, policy: str, repeats: int = 3) -> float:
    """Return jobs per second, the best of some runs, with the naming of nodes."""
    took = min(_processor_s(workload, policy, nodes) for _ in range(repeats))
    return len(workload) / took


def policies_and_peers(folder: Path) -> tuple[list[Row], float]:
    """Measure the classic policies beside the bare loop, the reference and AccaSim."""
    workload = lublin(10_000, 256)
    bare = BareLoop(folder, workload, 256)
    floor, best = 0.0, dict.fromkeys(TARGETS, 0.0)
    for _ in range(10):  # in turn, so that a busy moment of the machine slows all alike
        bare_rate, waited = bare.run()
        floor = max(floor, bare_rate)
        for policy in TARGETS:
            best[policy] = max(best[policy], rate(workload, 256, policy))
    ours = simulate(workload, 256, "easy")
    assert int(ours.wait_s.sum()) == waited, "the bare loop and easy disagree"
    rows = [
        Row(f"{policy}, 256 nodes, 10,000 jobs", best[policy], "jobs/s", target)
        for policy, target in TARGETS.items()
    ]
    rows.append(Row("plain Python reference, easy", reference_rate(workload, 256), "jobs/s"))
    peer = accasim_rate(folder, lublin(1_000, 256), 256)
    if peer is not None:
        rows.append(Row("AccaSim, its easy, 1,000 jobs", peer, "jobs/s"))
    return rows, floor


def bare_rate(folder: Path) -> float:
    """Return the jobs per second of the bare loop."""
    bare = BareLoop(folder, lublin(10_000, 256), 256)
    return max(bare.run()[0] for _ in range(10))


def growth() -> list[Row]:
    """Measure EASY over the number of jobs and over the size of the machine."""
    by_jobs = [
        Row(f"easy, 256 nodes, {jobs:,} jobs", rate(lublin(jobs, 256), 256, "easy", runs), "jobs/s")
        for jobs, runs in ((10_000, 20), (100_000, 10), (1_000_000, 3))
    ]
    by_nodes = [
        Row(
            f"easy, {nodes:,} nodes, 20,000 jobs",
            rate(lublin(20_000, nodes), nodes, "easy", 10),
            "jobs/s",
        )
        for nodes in (100, 1_000, 10_000, 100_000)
    ]
    return by_jobs + by_nodes


OVERLOADED = {
    "easy": 1.2,
    "sjf": 1.2,
    "conservative:depth=100": 1.2,
    "sjf+conservative:depth=100": 1.2,
    "wrsabf-ar:depth=100": 1.2,
    "wrsabf-or:depth=100": 1.2,
    "conservative": 1.3,
    "sjf+conservative": 1.3,
}
"""Policies, each with the exponent that its time should not exceed where the queue grows."""


def overload() -> list[Row]:
    """Return the processor time at load 1.2, and the exponent with which it grows with the jobs."""
    sizes = (10_000, 20_000, 40_000)
    # Requests are up to twice the run times, so that jobs end early and promises move; users are
    # many, so that accuracy changes the order.
    jobs = [
        apply(lublin(size, 256, load=1.2), ["set_request=random:0.5"], seed=1).replace(
            user=np.random.default_rng(1).integers(0, 50, size)
        )
        for size in sizes
    ]
    rows = []
    for policy, target in OVERLOADED.items():
        times = [min(_processor_s(each, policy, 256) for _ in range(2)) for each in jobs]
        exponent, _ = np.polyfit(np.log(sizes), np.log(times), 1)
        rows += [
            Row(f"{policy}, load 1.2, {size:,} jobs", took, "s")
            for size, took in zip(sizes, times, strict=True)
        ]
        rows.append(Row(f"{policy}, load 1.2, grows with jobs to the", float(exponent), "", target))
    return rows


def deciding() -> list[Row]:
    """Return the processor time of one decision of ``lookahead`` with 1,000 waiting jobs."""
    past, count = 500, 1_500
    jobs = apply(lublin(count, 256), ["set_request=random:0.5"], seed=1)
    jobs = jobs.replace(user=np.random.default_rng(1).integers(0, 50, count))
    first = Simulation(jobs.take(np.arange(count) < past), 256, "easy").run()
    later = jobs.take(np.arange(count) >= past)
    first.submit(later.replace(submit_s=np.full(len(later), first.now_s))).step()
    policy = lookahead()
    took = []
    for _ in range(5):
        began = time.process_time()
        policy.rehearse(first._simulator)
        took.append(time.process_time() - began)
    return [
        Row(
            f"lookahead, {len(first.queue):,} waiting jobs, a decision",
            1000 * min(took),
            "ms",
            20.0,
        )
    ]


SHARED = {
    "easy": (100_000, 50_000.0),
    "conservative": (100_000, 5_000.0),
    "easy-one-reserved:depth=100": (100_000, 10_000.0),
}
"""Policies on shared nodes, each with the jobs, and the jobs per second that it should reach.

From some 7,500 jobs on the queue is long. ``easy-one-reserved`` is ``fcfs+one-reserved``.
"""


def shared_nodes(folder: Path, data: Path) -> list[Row]:
    """Return the rates on 1,000 nodes that jobs share by cores, memory and GPUs, at load 0.9.

    Return also the time for a week of a real site with nodes of five kinds, if its data is there.
    """
    platform = read_platform(Path(__file__).parents[1] / "examples" / "shared_nodes.toml")
    rows = []
    for policy, (count, target) in SHARED.items():
        speed = count / _processor_s(generate("shared", count, seed=1), policy, platform)
        rows.append(Row(f"{policy}, 1,000 shared nodes, {count:,} jobs", speed, "jobs/s", target))
    week = data / "ub-hpc-week" / "submitted.csv.gz"
    if week.exists():
        real = read_workload(week, rename=RENAME)
        took = min(_processor_s(real, "easy", UB_HPC) for _ in range(3))
        rows.append(Row(f"easy, UB-HPC's week, {len(real):,} jobs on 217 nodes", took, "s", 0.5))
    jobs = generate("shared", 2_000, seed=1)
    peer = accasim_shared_rate(folder, jobs, platform)
    if peer is not None:
        ours = len(jobs) / min(_processor_s(jobs, "easy", platform) for _ in range(3))
        rows.append(Row("AccaSim, its easy, 1,000 shared nodes, 2,000 jobs", peer, "jobs/s"))
        rows.append(Row("easy on the same, at least 100 times", ours, "jobs/s", 100 * peer))
    return rows


def _processor_s(workload: Workload, policy: str, platform: Platform | int) -> float:
    began = time.process_time()
    simulate(workload, platform, policy)
    return time.process_time() - began


def whole_traces(data: Path) -> list[Row]:
    """Measure real traces from beginning to end, if they are there."""
    trace = data / "RICC-2010-2.swf.gz"
    if not trace.exists():
        return []
    ricc = apply(read_workload(trace), ["cores_per_node=8", "oversize=clip:1024"])
    return [
        Row("RICC whole, easy", _processor_s(ricc, "easy", 1024), "s", 3.0),
        Row("RICC whole, sjf+easy", _processor_s(ricc, "sjf+easy", 1024), "s", 3.0),
        Row("incentive, all 48 cells of Table 3", experiment_s("incentive", data), "s", 60.0),
    ]


def experiment_s(name: str, data: Path) -> float:
    """Return how long a whole experiment takes, with its report."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_experiment(read_experiment(find_experiment(name)), folder, data=data)
        return time.perf_counter() - began
