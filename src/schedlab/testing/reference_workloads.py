"""The workloads of the reference set: small enough to draw, each made to show one point."""

from __future__ import annotations

from schedlab.testing.instances import jobs
from schedlab.workload import Workload, apply, generate


def reference_workloads() -> list[Workload]:
    """Generate all workloads; their headers have the size of the machine and the point."""
    return [
        _headed(
            _blocked_head(),
            "blocked_head",
            8,
            "Short jobs may overtake a head that is too wide to start; long ones may not.",
        ),
        _headed(
            _extra_nodes(),
            "extra_nodes",
            16,
            "Long jobs may overtake on nodes that the head leaves free, until none are left.",
        ),
        _headed(
            _conservative_differs(),
            "conservative_differs",
            8,
            "What EASY starts at once may delay jobs behind the head, which conservative may not.",
        ),
        _headed(
            _kills_and_early_ends(),
            "kills_and_early_ends",
            8,
            "Jobs end early, or are killed at their request, and plans move.",
        ),
        _headed(
            _dependencies(),
            "dependencies",
            8,
            "Jobs become eligible when another ends, some after a think time, and queue up then.",
        ),
        _headed(
            _burst_of_ties(),
            "burst_of_ties",
            16,
            "Jobs come together, ask for the same and end together; ties go by arrival.",
        ),
        _headed(
            _lublin_sample(),
            "lublin_40",
            32,
            "A sample of the Lublin-Feitelson model with inaccurate requests and a long queue.",
        ),
    ]


def _headed(workload: Workload, name: str, nodes: int, point: str) -> Workload:
    """Return the workload as an SWF file that every reader takes alike.

    Some take the requested processors, some the allocated ones, and some only jobs of status 1.
    """
    filled = workload.replace(
        allocated_procs=workload["nodes"],
        requested_procs=workload["nodes"],
        status=[1] * len(workload),
    )
    return Workload(
        {column: filled[column] for column in filled.columns},
        name=name,
        header={
            "Version": ["2.2"],
            "Computer": [f"schedlab reference workload {name}"],
            "MaxNodes": [str(nodes)],
            "MaxProcs": [str(nodes)],
            "Note": [point],
        },
        provenance=workload.provenance,
    )


def _blocked_head() -> Workload:
    return jobs(
        (0, 6, 100, 60),
        (0, 7, 100, 60),
        (0, 3, 200, 200),
        (0, 2, 50, 50),
        (0, 1, 60, 60),
        (5, 5, 150, 90),
        (10, 2, 30, 18),
        (30, 5, 80, 48),
        (50, 1, 100, 100),
        (80, 3, 30, 30),
        (100, 2, 10, 10),
        (100, 3, 50, 30),
    )


def _extra_nodes() -> Workload:
    return jobs(
        (0, 10, 100, 100),
        (0, 12, 50, 25),
        (0, 6, 150, 75),
        (1, 2, 150, 150),
        (1, 12, 150, 150),
        (1, 4, 100, 100),
        (5, 3, 90, 45),
        (10, 12, 60, 60),
        (60, 6, 30, 30),
        (60, 3, 100, 100),
        (90, 2, 150, 150),
        (120, 12, 300, 300),
    )


def _conservative_differs() -> Workload:
    return jobs(
        (0, 6, 30, 24),
        (0, 3, 45, 9),
        (0, 1, 200, 80),
        (0, 7, 40, 40),
        (0, 4, 120, 120),
        (20, 8, 60, 24),
        (20, 8, 40, 8),
        (30, 2, 10, 4),
        (30, 4, 15, 3),
        (50, 2, 45, 45),
        (60, 2, 15, 15),
        (80, 1, 45, 18),
    )


def _kills_and_early_ends() -> Workload:
    return jobs(
        (0, 4, 60, 59),
        (0, 1, 60, 60),
        (0, 3, 30, 60),
        (0, 8, 40, 13),
        (0, 5, 30, 10),
        (0, 4, 40, 20),
        (0, 8, 100, 100),
        (5, 4, 40, 13),
        (7, 5, 20, 19),
        (7, 8, 60, 30),
        (7, 3, 80, 81),
        (10, 2, 50, 5),
        (20, 4, 100, 100),
        (45, 3, 50, 49),
    )


def _dependencies() -> Workload:
    return jobs(
        (0, 4, 60, 60),
        (0, 4, 40, 40),
        (0, 4, 60, 30),
        (0, 2, 30, 30),
        (0, 1, 20, 15),
        (1, 3, 30, 30),
        (5, 5, 80, 80),
        (12, 6, 80, 75),
        (40, 6, 25, 25),
        (40, 4, 20, 10),
        (40, 2, 40, 0),
        (100, 8, 100, 50),
        depends_on=[-1, -1, -1, 2, 2, 3, 1, 2, -1, -1, -1, 7],
        think_time_s=[-1, -1, -1, 10, 0, 0, 0, -1, -1, -1, -1, 5],
    )


def _burst_of_ties() -> Workload:
    return jobs(
        (0, 12, 120, 120),
        (0, 1, 60, 60),
        (0, 8, 120, 15),
        (0, 8, 90, 15),
        (0, 16, 15, 15),
        (0, 4, 120, 120),
        (0, 4, 120, 120),
        (0, 4, 30, 30),
        (60, 8, 60, 60),
        (60, 12, 120, 15),
        (60, 8, 30, 30),
        (60, 16, 30, 15),
        (60, 2, 30, 15),
        (60, 8, 30, 30),
    )


def _lublin_sample() -> Workload:
    sample = generate("lublin:nodes=32", 40, seed=140)
    return apply(sample, ["set_request=random:0.5", "load=1.5:32"], seed=140)
