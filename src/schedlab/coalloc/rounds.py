"""Rounds of safe width deletion: every round fixes other jobs, and none loses the best solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schedlab.coalloc.bounds import best_bound
from schedlab.coalloc.greedy import Greedy, left_shift
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.narrowing import MessageBound, fix_jobs
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.objective import Objective, measure
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import Propagate, propagate
from schedlab.coalloc.solution import Ending, Solution, Starts
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.coalloc.stages import Stages
from schedlab.coalloc.utility import disturbed_values

DISTURBANCE = 0.2
"""The largest disturbance, as a share of the mean value of a job."""


class Rounds:
    """Repeats safe width deletion in rounds.

    The first round fixes jobs at their earliest free slots, and DPOP places the others. As soon as
    there is a solution, the next rounds fix jobs drawn at random at the slots they have in it. The
    solution therefore remains possible, and only one that is at least as good replaces it. An
    equally good one does, since the next round may get further from there. Where all jobs must be
    scheduled and the first round finds no way to do that, a solution with more slots is shortened
    in rounds of its own.

    Where jobs may be left out, there is a solution from the beginning: greedy's. The values of jobs
    are then disturbed at random in each round, and the next round begins at the result, even if it
    is worse; otherwise the rounds would end in the first solution that none of them improves. With
    several criteria only some rounds, at equal intervals, do that, and the others improve the best
    solution by all criteria.
    """

    def __init__(
        self,
        problem: Problem,
        objective: Objective,
        limits: Limits,
        bound: MessageBound,
        heuristic: str,
        best: Starts | None = None,
        propagate: Propagate = propagate,
    ) -> None:
        self._problem, self._objective, self._limits = problem, objective, limits
        self._bound, self._heuristic, self._propagate = bound, heuristic, propagate
        self._network = ConstraintNetwork.of(problem, objective.may_leave_out)
        self._tree = make_tree(self._network, heuristic, limits.seed)
        self._random = np.random.default_rng(limits.seed)
        self._best = best
        if objective.may_leave_out:
            self._best = Greedy().solve(problem, objective, limits).starts
        self._wandering = self._best  # the result of the last disturbed round
        self._complete = False  # a round fixed no job, so that its result is proven
        self._passes: list[MessageStatistics] = []
        self._deleted_edges = 0
        self._done = 0

    def run(self, rounds: int, enough: float | None = None) -> Solution:
        """Run up to a number of rounds; stop when the goal or a bound is reached."""
        watch = Stopwatch(self._limits.time_s)
        if min(self._network.sizes) == 0:
            return self._solution("infeasible", watch)
        if enough is None:
            enough = best_bound(self._problem, self._objective.first)
        ending: Ending = "finished"
        try:
            while self._done < rounds and not (self._done and self._settled(enough)):
                if watch.expired:
                    ending = "time-limit"
                    break
                if self._done == 1 and self._best is None:
                    self._shorten(rounds - 2)
                self._round()
        except KeyboardInterrupt:
            ending = "interrupted"
        return self._solution(ending, watch)

    def _settled(self, enough: float) -> bool:
        if self._complete or self._best is None or len(self._objective.criteria) > 1:
            return self._complete
        reached = measure(self._objective.first, self._problem, self._best)
        return reached >= enough if self._objective.first == "value" else reached <= enough

    def _shorten(self, rounds: int) -> None:
        """Take greedy's solution with as many slots as it needs, and bring the makespan down."""
        slots, makespan = self._problem.slots, Objective(("makespan",))
        work = sum(job.slots for job in self._problem.jobs)
        roomy = replace(self._problem, slots=slots + work)
        greedy = Greedy().solve(roomy, makespan, self._limits)
        if not greedy.feasible:
            return
        roomy = replace(roomy, slots=max(slots, greedy.makespan))
        rest = Rounds(
            roomy,
            makespan,
            self._limits,
            self._bound,
            self._heuristic,
            greedy.starts,
            self._propagate,
        )
        found = rest.run(rounds, enough=slots)
        self._passes += rest._passes
        self._done += rest._done
        if found.makespan <= slots:
            self._best = found.starts

    def _round(self) -> None:
        pick = self._any if self._done else self._soonest
        wanders = self._wanders()
        self._done += 1
        guide = self._guide(self._wandering if wanders else self._best)
        relaxed = fix_jobs(self._network, self._tree, self._bound, pick, self._heuristic, guide)
        if relaxed is None:
            return
        network, tree = relaxed
        values = [job.value for job in self._problem.jobs]
        stages = Stages(network, tree, values, self._limits, self._propagate)
        if wanders:
            found = stages.once(disturbed_values(network, values, DISTURBANCE, self._random))
            self._wandering = found.starts(len(values))
        else:
            found = stages.optimise(self._objective)
            self._complete = network is self._network
        self._passes += stages.passes
        self._deleted_edges = max(self._deleted_edges, self._network.edges - network.edges)
        if found.values:
            self._keep(left_shift(self._problem, found.starts(len(values))))

    def _wanders(self) -> bool:
        """Return whether this round is disturbed: with k criteria every k-th, but not the first."""
        if not self._objective.may_leave_out or self._done == 0:
            return False
        return self._done % len(self._objective.criteria) == 0

    def _keep(self, starts: Starts) -> None:
        key = self._objective.key
        if self._best is None or key(self._problem, starts) <= key(self._problem, self._best):
            self._best = starts

    def _guide(self, starts: Starts | None) -> dict[int, int] | None:
        if starts is None:
            return None
        return {job: LEFT_OUT if at is None else at for job, at in enumerate(starts)}

    def _soonest(self, network: ConstraintNetwork, jobs: list[int]) -> int:
        """Return the job that can end first."""
        variables = network.variables
        return min(jobs, key=lambda job: int(variables[job].starts[0]) + variables[job].slots)

    def _any(self, _: ConstraintNetwork, jobs: list[int]) -> int:
        return int(self._random.choice(jobs))

    def _solution(self, ending: Ending, watch: Stopwatch) -> Solution:
        problem, first = self._problem, self._objective.first
        starts = self._best or (None,) * len(problem.jobs)
        proven = self._complete and self._best is not None
        return Solution(
            problem,
            starts,
            "wd",
            self._objective,
            bound=measure(first, problem, starts) if proven else None,
            messages=MessageStatistics.together(self._passes),
            wall_s=watch.elapsed_s,
            ending="infeasible" if self._complete and self._best is None else ending,
            counters={
                "rounds": self._done,
                "deleted edges": self._deleted_edges,
                "width before": self._tree.width,
            },
        )
