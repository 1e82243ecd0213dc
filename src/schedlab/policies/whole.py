"""Policies that are no order with a way to backfill, and what each can be told."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.policies.lookahead import PARAMETERS
from schedlab.policies.parameters import Parameter, Parameters, positive
from schedlab.workload.arguments import one_of


@dataclass(frozen=True)
class WholeEntry:
    """One line of the table of whole policies; ``make`` is loaded when somebody asks for it."""

    sentence: str
    reference: str
    parameters: Parameters
    make: str


WHOLE: dict[str, WholeEntry] = {
    "reserve": WholeEntry(
        "First come, first served on all clusters that a job needs; promises only move earlier.",
        "Mu'alem & Feitelson, IEEE TPDS 2001",
        {"promises": Parameter(positive, "so many waiting jobs are promised a start; all")},
        "schedlab.policies.coallocating:Reserve",
    ),
    "coalloc": WholeEntry(
        "Jobs come together in rounds, and a solver of co-allocation agrees on their starts.",
        "after Namekata, Matsui & Matsuo",
        {
            "solver": Parameter(str, "one of schedlab coalloc, such as cpsat or wd:width=3; wd"),
            "round_s": Parameter(positive, "newcomers wait for the next multiple of it; 60"),
            "objective": Parameter(str, "what they agree for: sum-of-starts or makespan"),
            "slots": Parameter(positive, "of time, into which the newcomers' plan is divided; 20"),
            "jobs": Parameter(positive, "at most so many agree at a time; 12"),
            "replan": Parameter(
                one_of("rounds", "always"), "when promises move earlier where there is room; rounds"
            ),
        },
        "schedlab.policies.coallocating:Coalloc",
    ),
    "lookahead": WholeEntry(
        "Tries orders in forks of the present, with drawn run times, and goes on with the best; "
        "the head is promised a start, as under EASY.",
        "rollout: Bertsekas, Tesauro & Wu 1997, with forks of the simulator",
        PARAMETERS,
        "schedlab.policies.lookahead:lookahead",
    ),
}
