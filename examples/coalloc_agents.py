"""What agents of co-allocation reveal for which quality, and how long slow ones hold up all."""

import random
from functools import partial
from statistics import fmean
from typing import Any

from schedlab.coalloc import Limits, Objective, Solution, find_solver, generate_problem
from schedlab.coalloc.agents import (
    Conditions,
    Distributed,
    InProcess,
    job_owners,
    require_message_passing,
)

problems = [generate_problem(30, kind="one-or-two", slots=7, seed=seed) for seed in range(20)]


def answers(solver: str, **how: Any) -> list[Solution]:
    """Solve all problems with one agent for each cluster that owns jobs."""
    agents = Distributed(require_message_passing(find_solver(solver)), **how)
    return [agents.solve(problem, Objective(), Limits()) for problem in problems]


best = answers("dpop")
print("solver                quality  learnt  most  unheard  told    bytes  revealed of own bits")
for solver in ("dpop", "wd:width=3,rounds=1", "wd:width=1,rounds=1", "split", "split:parts=4"):
    found = answers(solver)
    rows = [row for each in found for row in each.privacy]
    print(
        f"{solver:20}"
        f"{fmean(each.value / first.value for each, first in zip(found, best, strict=True)):9.3f}"
        f"{fmean(fmean(row.share for row in each.privacy) for each in found):8.0%}"
        f"{fmean(max(row.share for row in each.privacy) for each in found):6.0%}"
        f"{fmean(row.unheard / (30 - row.own_jobs) for row in rows):9.0%}"
        f"{fmean(row.values / (30 - row.own_jobs) for row in rows):6.0%}"
        f"{fmean(each.counters['bytes between agents'] for each in found):9,.0f}"
        f"{fmean(row.revealed for row in rows):10.0f} of {fmean(row.own_bits for row in rows):.0f}"
    )

print("\nslow agents               0     1     2     4    15")
for solver in ("dpop", "split"):
    print(f"{solver:20}", end="")
    for count in (0, 1, 2, 4, 15):
        times_s = []
        for problem in problems:
            numbers = sorted(set(job_owners(problem)))
            slow = random.Random(7).sample(numbers, min(count, len(numbers)))
            lines = partial(InProcess, Conditions(hop_s=0.01, slow_s=dict.fromkeys(slow, 1.0)))
            agents = Distributed(require_message_passing(find_solver(solver)), lines)
            answer = agents.solve(problem, Objective(), Limits())
            times_s.append(answer.counters["simulated seconds"])
        print(f"{fmean(times_s):6.2f}", end="")
    print(" s")

print("\nagent 1 leaves after     value  seconds")
for when_s in (0.0, 0.05):
    lines = partial(InProcess, Conditions(hop_s=0.01, leaves_s={1: when_s}))
    for if_lost in ("drop", "adopt"):
        found = answers("dpop", transport=lines, if_lost=if_lost)
        value = fmean(each.value / first.value for each, first in zip(found, best, strict=True))
        seconds = fmean(each.counters["simulated seconds"] for each in found)
        print(f"{when_s:4.2f} s, {if_lost:5}{value:18.3f}{seconds:9.2f}")
