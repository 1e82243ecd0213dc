"""Policies that are not an order with a way to backfill, and their parameters."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.policies.lookahead import PARAMETERS
from schedlab.policies.parameters import Parameter, Parameters, positive
from schedlab.workload.arguments import one_of


@dataclass(frozen=True)
class StandaloneEntry:
    """One line of the table of policies that stand alone; ``make`` is loaded when needed."""

    sentence: str
    reference: str
    parameters: Parameters
    make: str


STANDALONE: dict[str, StandaloneEntry] = {
    "coalloc": StandaloneEntry(
        "Jobs gather in rounds, and a co-allocation solver chooses their starts.",
        "after Namekata, Matsui & Matsuo",
        {
            "solver": Parameter(
                str, "a solver of schedlab coalloc, such as cpsat or wd:width=3. Default: wd"
            ),
            "round_s": Parameter(
                positive, "new jobs wait for the next multiple of this. Default: 60"
            ),
            "objective": Parameter(str, "what the solver minimises: sum-of-starts or makespan"),
            "slots": Parameter(positive, "time slots in the plan of the new jobs. Default: 20"),
            "jobs": Parameter(positive, "maximum number of jobs in one round. Default: 12"),
            "replan": Parameter(
                one_of("rounds", "always"), "when promises may move earlier. Default: rounds"
            ),
        },
        "schedlab.policies.coallocating:Coalloc",
    ),
    "lookahead": StandaloneEntry(
        "Tries orders in forks of the present with drawn run times, and continues with the "
        "best; the head is promised a start, as under EASY.",
        "rollout: Bertsekas, Tesauro & Wu 1997, with forks of the simulator",
        PARAMETERS,
        "schedlab.policies.lookahead:lookahead",
    ),
}
