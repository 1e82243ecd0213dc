"""The core and the plain Python reference give the same schedule, job by job and node by node."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import _core
from schedlab.platform import Platform
from schedlab.policies.orders import native_order
from schedlab.sim import Schedule, simulate
from schedlab.testing import ORDERS, ReferencePolicy, ReferenceSchedule, reference_simulate
from schedlab.testing.instances import crowd
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.strategies import (
    SimulationOptions,
    drawn_apart,
    examples,
    simulation_options,
    workloads,
)
from schedlab.workload import Workload


class Policy(ReferencePolicy):
    """A policy in both forms."""

    @property
    def name(self) -> str:
        """The name of the same policy in the core."""
        base = self.order if self.backfill == "none" else f"{self.order}+{self.backfill}"
        parameters = ["rebuild=true"] if self.rebuild else []
        parameters += [f"backfill={self.candidates}"] if self.candidates else []
        gap = self.max_priority_gap
        parameters += [] if gap is None else [f"max_priority_gap={gap}"]
        parameters += ["reserve=nodes"] if self.reserve == "nodes" else []
        parameters += [f"alpha={self.alpha}"] if self.backfill == "one-reserved" else []
        parameters += ["reservation=frozen"] if self.frozen else []
        parameters += ["reservation=pinned"] if self.pinned else []
        parameters += ["push=hole"] if self.push == "hole" else []
        parameters += [f"beta={self.beta}"] if self.order == "wrsa" else []
        parameters += [f"ageing={self.ageing_s}s"] if self.ageing_s is not None else []
        parameters += [f"{feature}={weight}" for feature, weight in (self.weights or {}).items()]
        parameters += [f"predict={self.predict}"] if self.predict != "request" else []
        return f"{base}:{','.join(parameters)}" if parameters else base


POLICIES = [
    *(Policy(order) for order in ORDERS),
    *(Policy(order, "easy") for order in ORDERS),
    *(Policy(order, "conservative") for order in ORDERS),
    *(Policy(order, "conservative", rebuild=True) for order in ORDERS),
    *(Policy("fcfs", "easy", candidates=order) for order in ORDERS),
    Policy("sjf", "easy", candidates="laf"),
    Policy("wfp3", "easy", candidates="unicef"),
    *(Policy("saf", "easy", max_priority_gap=gap) for gap in (0.0, 20.0)),
    Policy("sjf", "easy", candidates="saf", max_priority_gap=5.0),
    Policy("wfp3", "easy", max_priority_gap=1.0),
    *(Policy(order, "easy", reserve="nodes") for order in ("fcfs", "sjf", "wfp3")),
    *(Policy(order, "all-reserved") for order in ("fcfs", "sjf", "wfp3", "wrsa")),
    *(Policy(order, "one-reserved") for order in ("fcfs", "sjf", "wfp3", "wrsa")),
    *(Policy(order, "conservative", rebuild=True, reserve="nodes") for order in ("fcfs", "sjf")),
    *(Policy(order, "all-reserved", reserve="nodes") for order in ("fcfs", "wrsa")),
    *(Policy(order, "one-reserved", reserve="nodes") for order in ("fcfs", "wfp3", "wrsa")),
    *(Policy("wrsa", "one-reserved", alpha=alpha) for alpha in (1.0, 3.0, float("inf"))),
    *(Policy(order, "all-reserved", frozen=True) for order in ("fcfs", "sjf", "wrsa")),
    *(Policy(order, "one-reserved", frozen=True) for order in ("fcfs", "sjf", "wrsa")),
    *(Policy(order, "all-reserved", pinned=True) for order in ("fcfs", "sjf", "wrsa")),
    *(Policy(order, "one-reserved", pinned=True) for order in ("fcfs", "sjf", "wfp3", "wrsa")),
    *(Policy(order, "one-reserved", pinned=True, push="hole") for order in ("fcfs", "sjf", "wrsa")),
    *(Policy("fcfs", "one-reserved", pinned=True, alpha=alpha) for alpha in (1.0, float("inf"))),
    Policy("wrsa", beta=0.0),
    *(Policy("wrsa", way, ageing_s=7) for way in ("none", "easy", "one-reserved")),
    *(Policy("fcfs", "easy", predict=name) for name in PREDICTORS),
    *(Policy("sjf", "conservative", predict=name) for name in PREDICTORS),
    *(
        Policy(order, way, predict="last-two")
        for order in ("fcfs", "sjf", "wfp3")
        for way in ("none", "easy", "conservative", "all-reserved", "one-reserved")
    ),
    Policy("sjf", "easy", candidates="saf", predict="class-mean"),
    Policy("fcfs", "easy", candidates="wfp3", predict="actual"),
    Policy("fcfs", "easy", reserve="nodes", predict="last-two"),
    Policy("fcfs", "conservative", rebuild=True, predict="regression"),
    Policy("fcfs", "all-reserved", predict="nearest"),
    Policy("wrsa", "one-reserved", frozen=True, predict="last-two"),
    Policy("wrsa", "all-reserved", frozen=True, predict="regression"),
    Policy("fcfs", "one-reserved", pinned=True, predict="last-two"),
    Policy("wrsa", "one-reserved", pinned=True, push="hole", predict="class-mean"),
    Policy("sjf", "all-reserved", pinned=True, predict="actual"),
]


WEIGHTS = [
    {"log_estimate": 1.0, "log_nodes": 0.7, "log_start_in": -0.4},
    {"log_request": -0.3, "share": 1.0, "log_wait": -0.5, "log_slowdown": 0.25},
    {"log_request": 0.1, "log_estimate": -0.2, "log_nodes": 0.3, "share": -0.4, "log_wait": 0.5,
     "log_slowdown": -0.6, "log_start_in": 0.7},
]  # fmt: skip
POLICIES += [
    *(Policy("linear", weights=weights) for weights in WEIGHTS),
    *(Policy("linear", "conservative", weights=weights) for weights in WEIGHTS),
    *(
        Policy("linear", "easy", candidates="linear", weights=head, candidate_weights=backfill)
        for head in WEIGHTS
        for backfill in WEIGHTS
    ),
    Policy(
        "linear",
        "easy",
        candidates="linear",
        weights=WEIGHTS[0],
        candidate_weights=WEIGHTS[1],
        max_priority_gap=0.5,
        predict="last-two",
    ),
]


def simulate_natively(
    policy: Policy,
    nodes: int | Platform,
    workload: Workload,
    options: SimulationOptions,
    **more: Any,
) -> Schedule:
    """Return the core's schedule; a policy name cannot hold the weights of the candidates."""
    if policy.candidate_weights is None or policy.weights is None:
        return simulate(workload, nodes, policy.name, **options, **more)
    head, backfill = (
        native_order("linear", **weights) for weights in (policy.weights, policy.candidate_weights)
    )
    easy = _core.Easy(head, options["depth"], backfill, policy.max_priority_gap)
    return simulate(
        workload,
        nodes,
        easy,
        tick=options["tick"],
        kill_at_request=options["kill_at_request"],
        predict=policy.predict,
        **more,
    )


def machines(max_jobs: int) -> st.SearchStrategy[tuple[int, Workload]]:
    """Return a machine of a few nodes or more than a word of 64, and a workload that fits it."""
    return st.sampled_from((8, 3, 1, 67)).flatmap(
        lambda nodes: st.tuples(st.just(nodes), workloads(nodes, max_jobs))
    )


def check_agreement(nodes: int, workload: Workload, options: SimulationOptions) -> None:
    """Compare all columns of both simulators under every policy."""
    machine = Platform.homogeneous(nodes)
    for policy in POLICIES:
        native = simulate_natively(policy, machine, workload, options)
        plain = reference_simulate(workload, machine, policy, **options)
        assert ReferenceSchedule.of(native) == plain, (
            f"{policy.name} on {nodes} nodes with {options}:\n{workload.frame().to_dicts()}"
        )


@examples(60)
@given(machine=machines(max_jobs=15), options=simulation_options())
def test_the_core_agrees_with_the_reference(
    machine: tuple[int, Workload], options: SimulationOptions
) -> None:
    """Two independent programs that agree on every start and node are rarely both wrong."""
    check_agreement(*machine, options)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))  # 1,000 draws, split for all processors
def test_the_core_agrees_with_the_reference_at_length(part: int) -> None:
    """Longer workloads and more of them, for the rare coincidences."""

    @drawn_apart(part)
    @examples(125)
    @given(machine=machines(max_jobs=25), options=simulation_options())
    def agrees(machine: tuple[int, Workload], options: SimulationOptions) -> None:
        check_agreement(*machine, options)

    agrees()


CROWD = crowd(count=150)


@pytest.mark.slow
@pytest.mark.parametrize(
    "workload", [CROWD, CROWD.replace(submit_s=[0] * 150)], ids=("one by one", "at once")
)
def test_the_core_agrees_with_the_reference_on_long_queues(workload: Workload) -> None:
    """A hundred waiting jobs come and go in ways that a dozen cannot."""
    check_agreement(16, workload, {"tick": 0, "depth": None, "kill_at_request": True})
