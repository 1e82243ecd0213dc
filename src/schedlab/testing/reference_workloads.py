"""The workloads of the reference set: small enough to draw, each with a point."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.testing.instances import jobs
from schedlab.workload import Workload, apply, generate


@dataclass(frozen=True)
class ReferenceWorkload:
    """Jobs on a machine of so many nodes, and what they are there to show."""

    name: str
    nodes: int
    point: str
    workload: Workload


def reference_workloads() -> list[ReferenceWorkload]:
    """All of them, made anew."""
    return [
        ReferenceWorkload(
            "head_blocked",
            8,
            "Short jobs may overtake a head that is too wide to start; long ones may not.",
            _head_blocked(),
        ),
        ReferenceWorkload(
            "extra_nodes",
            16,
            "Long jobs may overtake on nodes that the head does not need, until none are left.",
            _extra_nodes(),
        ),
        ReferenceWorkload(
            "conservative_differs",
            8,
            "What EASY starts at once delays jobs behind the head, to which conservative made a "
            "promise.",
            _conservative_differs(),
        ),
        ReferenceWorkload(
            "kills_and_early_ends",
            8,
            "Jobs end early, at once or at their request, where they are killed, and plans move.",
            _kills_and_early_ends(),
        ),
        ReferenceWorkload(
            "dependencies",
            8,
            "Jobs become eligible when another ends, some after a think time; they queue up then.",
            _dependencies(),
        ),
        ReferenceWorkload(
            "burst_of_ties",
            16,
            "Jobs come together, ask for the same and end together; ties go by arrival.",
            _burst_of_ties(),
        ),
        ReferenceWorkload(
            "lublin_40",
            32,
            "A sample of the Lublin-Feitelson model with inaccurate requests and a long queue.",
            apply(generate("lublin:nodes=32", 40, seed=7), ["wra=random:0.5", "load=2.5:32"], seed=7),
        ),
    ]


def _head_blocked() -> Workload:
    return jobs(
        (0, 4, 100, 100),
        (5, 6, 60, 60),
        (10, 2, 200, 200),
        (15, 2, 90, 60),
        (20, 4, 80, 80),
        (25, 1, 60, 60),
        (30, 1, 75, 75),
        (35, 2, 40, 40),
        (40, 8, 30, 30),
        (45, 3, 50, 50),
        (50, 1, 20, 20),
        (55, 2, 500, 450),
    )


def _extra_nodes() -> Workload:
    return jobs(
        (0, 10, 100, 100),
        (1, 12, 50, 50),
        (2, 3, 300, 300),
        (3, 1, 400, 400),
        (4, 2, 250, 250),
        (5, 2, 90, 90),
        (6, 1, 94, 94),
        (7, 1, 95, 95),
        (30, 4, 60, 60),
        (40, 1, 150, 150),
        (90, 5, 10, 10),
        (110, 2, 30, 30),
    )


def _conservative_differs() -> Workload:
    return jobs(
        (0, 6, 40, 40),
        (0, 4, 40, 40),
        (0, 4, 40, 40),
        (0, 2, 60, 60),
        (10, 8, 20, 20),
        (12, 2, 30, 30),
        (14, 1, 120, 120),
        (16, 3, 45, 45),
        (50, 5, 25, 25),
        (55, 1, 200, 200),
        (60, 2, 15, 15),
        (62, 7, 10, 10),
    )


def _kills_and_early_ends() -> Workload:
    return jobs(
        (0, 4, 100, 30),
        (0, 4, 100, 100),
        (5, 8, 50, 50),
        (6, 2, 60, 300),
        (7, 2, 90, 10),
        (8, 4, 40, 0),
        (9, 6, 80, 81),
        (10, 1, 20, 20),
        (35, 1, 500, 5),
        (40, 3, 200, 120),
        (45, 8, 10, 0),
        (60, 2, 30, 45),
        (61, 5, 70, 35),
        (150, 1, 1, 1),
    )


def _dependencies() -> Workload:
    return jobs(
        (0, 4, 50, 40),
        (0, 4, 80, 80),
        (1, 2, 30, 30),
        (2, 6, 20, 20),
        (3, 1, 100, 10),
        (4, 8, 15, 15),
        (5, 3, 60, 60),
        (10, 2, 25, 0),
        (11, 5, 35, 35),
        (12, 1, 90, 90),
        (200, 2, 10, 10),
        (200, 4, 40, 40),
        depends_on=[-1, -1, 1, 1, -1, -1, 5, 3, 8, 2, 10, -1],
        think_time_s=[-1, -1, 0, 10, -1, -1, 5, -1, 0, -1, 60, -1],
    )


def _burst_of_ties() -> Workload:
    return jobs(
        (0, 8, 60, 60),
        (0, 8, 60, 60),
        (0, 8, 60, 60),
        (0, 4, 60, 60),
        (0, 4, 30, 30),
        (0, 16, 30, 30),
        (0, 4, 30, 30),
        (0, 4, 30, 30),
        (60, 2, 30, 30),
        (60, 2, 60, 60),
        (60, 8, 30, 30),
        (60, 8, 30, 15),
        (60, 16, 15, 15),
        (60, 1, 120, 120),
    )
