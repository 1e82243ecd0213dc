"""A described site in the plain simulator: its consumables, calendar and tiers."""

from __future__ import annotations

from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    NodeGroup,
    NodeType,
    Outage,
    Partition,
    Platform,
    Reservation,
)
from schedlab.sim import Preemption, WhyEnded
from schedlab.testing import ORDERS
from schedlab.testing.reference.attempts import Attempt
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.preemption import RULES, PreemptionStep
from schedlab.testing.reference.simulate import reference_attempts
from schedlab.testing.reference.simulation import ReferenceSimulation
from schedlab.testing.reference.site import at_site
from schedlab.testing.reference.ways import WAYS
from schedlab.workload import Workload

SITE = Platform(
    (
        Cluster(
            "c",
            (NodeGroup(NodeType(), 3),),
            partitions=(Partition("low", default=True), Partition("high", priority_tier=2)),
            outages=(Outage(100, 200),),
            reservations=(Reservation(40, 60, users=("ann",)),),
        ),
    ),
    consumables=(Consumable("matlab", 2, (CapacityStep(60, 1), CapacityStep(80, 2))),),
)


def test_a_site_as_it_is_described() -> None:
    """Each job meets one of the rules."""
    workload = Workload(
        {
            "job_id": [1, 2, 3, 4, 5],
            "submit_s": [0, 0, 5, 39, 61],
            "nodes": [2, 1, 2, 1, 1],
            "request_s": [30, 30, 10, 30, 10],
            "run_s": [30, 30, 10, 30, 10],
            "user": [0, 0, 0, 1, 0],
            "partition": [0, 0, 1, 0, 0],
            "preemptible": [-1, 0, -1, -1, -1],
            "licences": [0, -1, -1, -1, 1],
        },
        labels={
            "user": ["bob", "ann"],
            "partition": ["low", "high"],
            "licences": ["matlab:1", "matlab:2"],
        },
    )
    made = jobs_of(workload, SITE)
    machine = at_site(made, Machine.whole_nodes(3), workload, SITE, Preemption("tier", "requeue"))
    preemption = PreemptionStep(RULES["tier"]())
    sim = ReferenceSimulation(made, machine, 0.3, PREDICTORS["request"](), (), preemption)
    sim.run(ORDERS["fcfs"], WAYS["easy"](), None)
    assert reference_attempts(sim) == [
        # preempted by the high partition; from 15 on it would meet the reservation
        Attempt(0, 1, 0, 5, WhyEnded.PREEMPTED, 5, (0, 1)),
        Attempt(0, 2, 60, 90, WhyEnded.COMPLETED, 0, (1, 2)),
        # may not be preempted
        Attempt(1, 1, 0, 30, WhyEnded.COMPLETED, 0, (2,)),
        Attempt(2, 1, 5, 15, WhyEnded.COMPLETED, 0, (0, 1)),
        # ann's reservation
        Attempt(3, 1, 39, 69, WhyEnded.COMPLETED, 0, (0,)),
        # there are two licences from 80 on, but job 1 has one until 90; the outage is at 100
        Attempt(4, 1, 90, 100, WhyEnded.COMPLETED, 0, (0,)),
    ]
