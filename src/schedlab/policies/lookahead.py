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
from schedlab.policies.ready import READY_PRIORITIES, ready_priority
from schedlab.workload.arguments import one_of

Candidate = tuple[str, _core.Order, _core.Order | None, float | None]
"""Name, order of the queue, order of backfilling and gap, as ``_core.Lookahead`` takes it."""

AUTO = "auto"
FIRST_BASE = "predicted"
CANDIDATES = ("aged", "fcfs", "sjf", "saf", "wfp3", "unicef", "f1", "f2", "f3", "f4", "slowdown")
METRICS = ("bounded_slowdown", "wait", "longest_wait")
PREDICTED = {
    "predicted": (0.25, 0.0),
    "aged": (0.25, 0.3),
}
"""Orders by the run time that past jobs suggest, with the weights of the nodes and of the wait."""
EVOLVED = "evolved"
PERIOD_S, FORKS, DOUBT, BUDGET = 7200, 40, 0.5, 16_000
DAY_S = 86_400
PATIENCE_S = inf

_ORDERS = [name for name in ORDERS if name not in ("wrsa", "linear")]
KNOWN = (*PREDICTED, *_ORDERS, *READY_PRIORITIES)


def candidate(name: str) -> Candidate:
    """Return the candidate of that name: ``predicted``, an order, or a ready priority."""
    if name in PREDICTED:
        return name, _core.PredictedOrder(*PREDICTED[name]), None, None
    if name in READY_PRIORITIES:
        priority = ready_priority(name)
        head, backfill = (
            native_order("linear", **each) for each in (priority.head, priority.backfill)
        )
        return name, head, backfill, priority.max_priority_gap
    if name not in _ORDERS:
        raise UnknownNameError("candidate of lookahead", name, KNOWN)
    return name, native_order(name), None, None


def names(text: str) -> tuple[str, ...]:
    """Return the candidates in a text such as ``sjf+saf+slowdown``."""
    found = tuple(filter(None, (part.strip() for part in text.split("+"))))
    if not found:
        raise ParameterError(f'"{text}"; must name candidates, such as sjf+saf+slowdown')
    for name in found:
        candidate(name)
    return found


def base_name(text: str) -> str:
    """Return the name of one candidate, or ``auto``."""
    return text if text == AUTO else candidate(text)[0]


def coming(text: str) -> int | None:
    """Read how long jobs arrive in the forks: ``none``, a duration of up to a day, or ``auto``."""
    if text == "auto":
        return None
    seconds = 0 if text == "none" else duration(text)
    if seconds > DAY_S:
        raise ParameterError(f'"{text}"; must be auto, none or a duration of at most 1d')
    return seconds


def lookahead(
    *,
    period: int = PERIOD_S,
    forks: int = FORKS,
    metric: str = METRICS[0],
    base: str = AUTO,
    candidates: Sequence[str] = CANDIDATES,
    doubt: float = DOUBT,
    horizon: float = inf,
    patience: float = PATIENCE_S,
    guard: float = inf,
    fairness: float = inf,
    search: int = 0,
    evolve: int = 0,
    arrivals: int | None = None,
    budget: int = BUDGET,
    seed: int = 0,
    threads: int = 1,
) -> _core.Lookahead:
    """Return the policy; ``PARAMETERS`` says what each argument means."""
    first = FIRST_BASE if base == AUTO else base
    tried = [candidate(name) for name in dict.fromkeys((first, *candidates))]
    if evolve:
        tried.append((EVOLVED, _core.PredictedOrder(0.0, 0.0), None, None))
    return _core.Lookahead(
        tried,
        period=period,
        forks=forks,
        doubt=doubt,
        horizon=None if horizon == inf else int(horizon),
        metric=_core.LookaheadMetric[metric],
        patience=_LONG_S if patience == inf else int(patience),
        guard=None if guard == inf else int(guard),
        fairness=fairness,
        review=base == AUTO,
        search=search,
        evolve=evolve,
        arrivals=arrivals,
        budget=budget,
        seed=seed,
        threads=threads,
    )


_LONG_S = 1 << 60

PARAMETERS: Parameters = {
    "period": Parameter(
        duration, "time between decisions; a doubled queue also causes one. Default: 2h"
    ),
    "forks": Parameter(
        up_to(1000), "draws of run times in which each candidate is tried. Default: 40"
    ),
    "metric": Parameter(one_of(*METRICS), "the metric to minimise. Default: bounded_slowdown"),
    "base": Parameter(
        base_name,
        "the order that follows a candidate, and stays if no candidate is better. Default: "
        "auto, predicted until another one has a better record",
    ),
    "candidates": Parameter(
        names, f"the orders that are tried beside the base. Default: {'+'.join(CANDIDATES)}"
    ),
    "doubt": Parameter(
        not_negative, "standard errors by which a candidate must be better. Default: 0.5"
    ),
    "horizon": Parameter(
        ageing, "time after which a fork ends. Default: when all jobs have started"
    ),
    "patience": Parameter(ageing, "wait after which the oldest job goes first. Default: inf"),
    "guard": Parameter(
        ageing, "maximum wait, as far as conservative backfilling can keep it. Default: inf"
    ),
    "fairness": Parameter(
        factor,
        "limit of the worst-off user's mean, as a multiple of that under the base. Default: inf",
    ),
    "search": Parameter(
        up_to(64), "number of first jobs that are tried at the front. Default: none"
    ),
    "evolve": Parameter(
        up_to(64),
        "number of weights to try at each decision for one more candidate, an evolved order. "
        "Default: none",
    ),
    "arrivals": Parameter(
        coming,
        "how long jobs arrive in the forks, or none. Default: auto, 2h where run times are known",
    ),
    "budget": Parameter(
        positive, "approximate number of job starts that a decision tries. Default: 16000"
    ),
    "seed": Parameter(whole, "seed of the drawn run times. Default: 0"),
    "threads": Parameter(up_to(1024), "number of forks that run at the same time. Default: 1"),
}
