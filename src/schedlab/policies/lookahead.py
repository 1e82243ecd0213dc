"""A policy that tries candidates before it decides: forks of the present, with drawn run times."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.policies.orders import ORDERS, native_order
from schedlab.policies.parameters import (
    Parameter,
    Parameters,
    ageing,
    duration,
    factor,
    not_negative,
    positive,
    up_to,
    whole,
)
from schedlab.policies.ready import READY, ready_priority
from schedlab.workload.arguments import one_of

Candidate = tuple[str, _core.Order, _core.Order | None, float | None]
"""Name, order of the queue, order of backfilling and reach, as ``_core.Lookahead`` takes it."""

BASE = "predicted"
CANDIDATES = ("fcfs", "sjf", "saf", "wfp3", "unicef", "f1", "f2", "f3", "f4", "slowdown")
METRICS = ("bounded_slowdown", "wait", "longest_wait")
NODES_WEIGHT = 0.25
"""How much the nodes of a job weigh in the order ``predicted``, beside its run time."""
PERIOD_S, FORKS, DOUBT, BUDGET = 7200, 10, 1.0, 20_000
PATIENCE_S, PATIENCE_BACKLOGS = 86_400, 3.0

_ORDERS = [name for name in ORDERS if name not in ("wrsa", "linear")]
KNOWN = (BASE, *_ORDERS, *READY)


def candidate(name: str) -> Candidate:
    """The candidate of that name: ``predicted``, an order, or a ready policy."""
    if name == BASE:
        return name, _core.PredictedOrder(NODES_WEIGHT), None, None
    if name in READY:
        priority = ready_priority(name)
        head, backfill = (
            native_order("linear", **each) for each in (priority.head, priority.backfill)
        )
        return name, head, backfill, priority.reach
    if name not in _ORDERS:
        raise UnknownNameError("candidate of lookahead", name, KNOWN)
    return name, native_order(name), None, None


def names(text: str) -> tuple[str, ...]:
    """Candidates in a text such as ``sjf|saf|slowdown``."""
    found = tuple(filter(None, (part.strip() for part in text.split("|"))))
    if not found:
        raise ParameterError(f'"{text}"; must name candidates, such as sjf|saf|slowdown')
    for name in found:
        candidate(name)
    return found


def one_name(text: str) -> str:
    """The name of one candidate."""
    return candidate(text)[0]


def lookahead(
    *,
    period: int = PERIOD_S,
    forks: int = FORKS,
    metric: str = METRICS[0],
    base: str = BASE,
    candidates: Sequence[str] = CANDIDATES,
    doubt: float = DOUBT,
    horizon: float = inf,
    patience: float = PATIENCE_S,
    backlogs: float = PATIENCE_BACKLOGS,
    guard: float = inf,
    fairness: float = inf,
    budget: int = BUDGET,
    seed: int = 0,
    threads: int = 1,
) -> _core.Lookahead:
    """Return the policy; ``PARAMETERS`` says what each means."""
    tried = list(dict.fromkeys((base, *candidates)))
    return _core.Lookahead(
        [candidate(name) for name in tried],
        period=period,
        forks=forks,
        doubt=doubt,
        horizon=None if horizon == inf else int(horizon),
        metric=_core.LookaheadMetric[metric],
        patience=_LONG_S if patience == inf else int(patience),
        patience_backlogs=backlogs,
        guard=None if guard == inf else int(guard),
        fairness=fairness,
        budget=budget,
        seed=seed,
        threads=threads,
    )


_LONG_S = 1 << 60

PARAMETERS: Parameters = {
    "period": Parameter(duration, "it decides so often, and when the queue has doubled; 2h"),
    "forks": Parameter(up_to(1000), "draws of run times in which each candidate is tried; 10"),
    "metric": Parameter(one_of(*METRICS), "what is to be small; bounded_slowdown"),
    "base": Parameter(one_name, "what follows a candidate, and stays if none is better; predicted"),
    "candidates": Parameter(names, f"what is tried beside the base; {'|'.join(CANDIDATES)}"),
    "doubt": Parameter(not_negative, "standard errors by which a candidate must be better; 1"),
    "horizon": Parameter(ageing, "a fork ends then; when all jobs have started"),
    "patience": Parameter(ageing, "jobs that have waited longer come first; 1d"),
    "backlogs": Parameter(
        not_negative, "but only if they waited so many times what all waiting jobs need; 3"
    ),
    "guard": Parameter(ageing, "no job waits longer, where FCFS with EASY can keep it; inf"),
    "fairness": Parameter(
        factor, "the worst-off user's mean is at most so many times that under the base; inf"
    ),
    "budget": Parameter(positive, "starts of jobs that a decision tries, more or less; 20000"),
    "seed": Parameter(whole, "of the drawn run times; 0"),
    "threads": Parameter(up_to(1024), "how many forks run at the same time; 1"),
}
