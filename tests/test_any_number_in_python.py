"""Any number for a Python function gives a right answer or one sentence.

The parameters come from the signatures of all public names, so that new ones are tried, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest
from tests.numbers_to_try import any_number, ending, number_of

from schedlab import Simulation, audit, coalloc, metrics, platform, rl, simulate, viz, workload
from schedlab.analysis import analyse
from schedlab.errors import SchedlabError
from schedlab.evolve import EvolveSettings
from schedlab.experiments import LocalEngine
from schedlab.history import Client
from schedlab.live import LiveScheduler
from schedlab.platform import Cluster, NodeGroup, NodeType, Platform
from schedlab.policies import find_policy
from schedlab.policies.learned import QueueSettings, learned_policy
from schedlab.sim import Forecaster, load_schedules, save_schedules

Call = Callable[..., Any]

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "experiments" / "beat-backfilling" / "models" / "slowdown.zip"
TRACE = Path(__file__).parent / "data" / "ten.swf"
READ = workload.read_workload(TRACE)
JOBS = READ.with_columns({name: READ[name] for name in READ.columns if name != "partition"})
APART = JOBS.replace(partition=[1, 2] * 4, wait_s=[0] * 8)
NODES = int(JOBS["nodes"].max())
DONE = simulate(JOBS, NODES, "easy")
PROBLEM = coalloc.generate_problem(4, seed=1)
SOLVED = coalloc.solve(PROBLEM, "greedy")
EPISODES = "lublin:nodes=16"


def on_a_cluster(**parts: Any) -> None:
    """Simulate on a machine with these parts."""
    group = NodeGroup(NodeType("n", cores=4), count=NODES)
    simulate(JOBS, Platform((Cluster("c", (group,), **parts),)), "easy")


def on_nodes(group: NodeGroup) -> None:
    """Simulate on these nodes."""
    simulate(JOBS, Platform((Cluster("c", (group,)),)), "easy")


def problem_of(slots: int = 1, value: float = 1.0, **numbers: Any) -> None:
    """Make a problem whose job has these numbers."""
    coalloc.Problem(("r",), (coalloc.CoallocJob("a", (0,), slots, value, **numbers),), 4)


CALLS: dict[str, Call] = {
    "schedlab.sim.simulate": lambda platform=NODES, **of: simulate(JOBS, platform, "easy", **of),
    "schedlab.sim.Simulation": lambda platform=NODES, **of: Simulation(
        JOBS, platform, "easy", **of
    ),
    "schedlab.sim.Forecaster": lambda **of: Forecaster(
        Simulation(JOBS, NODES, "easy").run(until_s=0), **{"forks": 2} | of
    ).forecast(),
    "schedlab.workload.apply": lambda **of: workload.apply(JOBS, ["set_request=random:0.5"], **of),
    "schedlab.workload.generate": lambda jobs=5, **of: workload.generate(EPISODES, jobs, **of),
    "schedlab.workload.read_workload": lambda **of: workload.read_workload(TRACE, **of),
    "schedlab.platform.CapacityStep": lambda at_s=1, capacity=1: platform.Consumable(
        "c", 2, (platform.CapacityStep(at_s, capacity),)
    ),
    "schedlab.platform.Consumable": lambda capacity: platform.Consumable("c", capacity),
    "schedlab.platform.Drain": lambda begin_s=1, end_s=2: on_a_cluster(
        drains=(platform.Drain(begin_s, end_s),)
    ),
    "schedlab.platform.Outage": lambda begin_s=1, end_s=2: on_a_cluster(
        outages=(platform.Outage(begin_s, end_s),)
    ),
    "schedlab.platform.Reservation": lambda begin_s=1, end_s=2: on_a_cluster(
        reservations=(platform.Reservation(begin_s, end_s),)
    ),
    "schedlab.platform.Partition": lambda **of: on_a_cluster(
        partitions=(platform.Partition("main", f"[0-{NODES - 1}]", default=True, **of),)
    ),
    "schedlab.platform.Failure": lambda node=1, at_s=1, repair_s=1: simulate(
        JOBS, NODES, "easy", failures=[platform.Failure(node, at_s, repair_s)]
    ),
    "schedlab.platform.NodeGroup": lambda count=NODES, **of: on_nodes(
        NodeGroup(NodeType("n"), count=count, **of)
    ),
    "schedlab.platform.NodePower": platform.NodePower,
    "schedlab.platform.NodeType": lambda **of: on_nodes(
        NodeGroup(NodeType("n", **of), count=NODES)
    ),
    "schedlab.platform.check_failures": lambda nodes: platform.check_failures(
        [platform.Failure(0, 1, 1)], nodes
    ),
    "schedlab.platform.draw_failures": lambda **of: platform.draw_failures(
        **{"nodes": 4, "until_s": 1000, "mean_up_s": 100.0, "mean_repair_s": 10.0} | of
    ),
    "schedlab.platform.keep_apart": lambda **of: platform.keep_apart(APART, **of),
    "schedlab.metrics.over_time": lambda **of: metrics.over_time(DONE, **of),
    "schedlab.metrics.incentive_points": lambda **of: metrics.incentive_points(DONE, "wait", **of),
    "schedlab.metrics.wrsa_by_user": lambda **of: metrics.wrsa_by_user(DONE, **of),
    "schedlab.metrics.wrsa_over_time": lambda **of: metrics.wrsa_over_time(DONE, **of),
    "schedlab.policies.find_policy": lambda depth: find_policy("easy", depth=depth),
    "schedlab.policies.learned.QueueSettings": lambda **of: rl.QueueEnv(EPISODES, jobs=5, **of),
    "schedlab.policies.learned.learned_policy": lambda sample: learned_policy(MODEL, sample),
    "schedlab.coalloc.CoallocJob": problem_of,
    "schedlab.coalloc.Limits": lambda **of: coalloc.solve(
        PROBLEM, "cpsat", limits=coalloc.Limits(**{"time_s": 1.0} | of)
    ),
    "schedlab.coalloc.Problem": lambda slots: coalloc.Problem(
        PROBLEM.resources, PROBLEM.jobs, slots
    ),
    "schedlab.coalloc.generate_problem": lambda jobs=4, **of: coalloc.generate_problem(jobs, **of),
    "schedlab.analysis.analyse": lambda **of: analyse(JOBS, **of),
    "schedlab.audit.audit": lambda **of: audit.audit(DONE, "easy", **of),
    "schedlab.viz.draw_cdf": lambda **of: viz.draw_cdf([DONE], **of),
    "schedlab.viz.draw_comparison": lambda **of: viz.draw_comparison([DONE], **of),
    "schedlab.viz.draw_gantt": lambda **of: viz.draw_gantt([DONE], **of),
    "schedlab.viz.draw_over_time": lambda **of: viz.draw_over_time([DONE], **of),
    "schedlab.viz.draw_coalloc_gantt": lambda **of: viz.draw_coalloc_gantt(SOLVED, **of),
    "schedlab.viz.draw_constraint_graph": lambda **of: viz.draw_constraint_graph(PROBLEM, **of),
    "schedlab.evolve.EvolveSettings": EvolveSettings,
    "schedlab.experiments.LocalEngine": LocalEngine,
    "schedlab.rl.GanttSettings": lambda **of: rl.GanttEnv(**of),
    "schedlab.rl.GanttBatch": lambda size=1, **of: rl.GanttBatch(
        rl.GanttSettings(), rl.GridEpisodes(), size, **of
    ),
    "schedlab.rl.GanttEnv": lambda **of: rl.GanttEnv(**of),
    "schedlab.rl.GanttVectorEnv": lambda **of: rl.GanttVectorEnv(**of),
    "schedlab.rl.GridEpisodes": lambda units: rl.GanttEnv(units=units),
    "schedlab.rl.GeneratedEpisodes": lambda jobs: rl.GeneratedEpisodes(EPISODES, jobs),
    "schedlab.rl.QueueBatch": lambda size=1, **of: rl.QueueBatch(
        QueueSettings(), rl.choose_episodes("lublin:nodes=256", 5), size, **of
    ),
    "schedlab.rl.QueueEnv": lambda jobs: rl.QueueEnv(EPISODES, jobs=jobs),
    "schedlab.rl.QueueVectorEnv": lambda num_envs=1, jobs=5, **of: rl.QueueVectorEnv(
        num_envs, EPISODES, jobs=jobs, **of
    ),
    "schedlab.rl.WindowEpisodes": lambda jobs: rl.WindowEpisodes(JOBS, jobs),
    "schedlab.rl.choose_episodes": lambda jobs=5, **of: rl.choose_episodes(EPISODES, jobs, **of),
    "schedlab.history.Client": lambda timeout_s: Client("http://127.0.0.1:1", timeout_s=timeout_s),
    "schedlab.live.LiveScheduler": lambda nodes=4, **of: LiveScheduler(
        find_policy("easy"), nodes, **of
    ),
}
"""How to call each name that takes numbers, with the number that is tried."""

FILES: dict[str, Callable[[Path, Any], Any]] = {
    "schedlab.sim.load_schedules.nodes": lambda folder, n: load_schedules(
        folder / "s.csv", nodes=n
    ),
    "schedlab.audit.read_observed.nodes": lambda folder, n: audit.read_observed(
        folder / "s.csv", nodes=n
    ),
    "schedlab.viz.save_figure.dpi": lambda folder, n: viz.save_figure(
        viz.draw_cdf([DONE]), folder / "a.png", dpi=n
    ),
}
"""The same for functions that read or write a file in a folder."""

MADE = {
    *("Analysis", "Arrivals", "BoxPlot", "Clock", "Departure", "ErrorPoint"),
    *("Experiment", "HeaderSize", "Histogram", "MessageStatistics", "NodeInterval"),
    *("Part", "ReadReport", "RequestDensity", "ComparedRule", "Run", "Schedule", "SimulationTask"),
    *("ScheduleComparison", "Solution", "StartForecast", "TaskOutcome", "Verdict", "Violation"),
}
"""Classes of results, which users only read."""

ELSEWHERE = {
    *("Arena", "Goal", "quantile_scores", "reliability"),  # by the options of commands
    *("draw_accuracy_by_edges", "draw_cycles", "draw_honesty", "draw_importance", "draw_incentive"),
    *("draw_lines", "draw_prediction_error", "draw_pseudo_tree", "draw_relaxations"),
}
"""Tried by other means: pictures have the same checks as those above."""

PACKAGES = (
    *("workload", "platform", "sim", "metrics", "predict", "policies", "policies.learned"),
    *("coalloc", "analysis", "audit", "viz", "evolve", "experiments", "rl", "history", "live"),
)


def numeric_parameters() -> Iterator[tuple[str, str]]:
    """Yield every public name with each parameter that is one number; no object twice."""
    seen = set()
    for package in (*(f"schedlab.{name}" for name in PACKAGES), "schedlab"):
        module = import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            if not callable(found) or name in MADE | ELSEWHERE or id(found) in seen:
                continue
            seen.add(id(found))
            for each in _parameters(found):
                if re.fullmatch(r"(Platform \| )?(int|float)( \| None)?", str(each.annotation)):
                    yield f"{package}.{name}", each.name


def _parameters(found: Any) -> list[Parameter]:
    try:
        return list(signature(found).parameters.values())
    except ValueError:  # a class of the core
        return []


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_below_are_right(name: str) -> None:
    """A wrong call would be refused whatever the number is."""
    needed = [
        each.name
        for each in signature(CALLS[name]).parameters.values()
        if each.default is Parameter.empty and each.kind is not Parameter.VAR_KEYWORD
    ]
    CALLS[name](**dict.fromkeys(needed, 4))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter"), list(numeric_parameters()))
@any_number(8)
def test_any_number_in_python(tmp_path: Path, name: str, parameter: str, number: str) -> None:
    """The call works, or raises a SchedlabError."""
    value, in_folder = number_of(number), FILES.get(f"{name}.{parameter}")
    if in_folder is not None and not (tmp_path / "s.csv").exists():
        save_schedules([DONE], tmp_path / "s.csv")
    with ending(), suppress(SchedlabError):
        if in_folder is not None:
            in_folder(tmp_path, value)
        else:
            CALLS[name](**{parameter: value})
