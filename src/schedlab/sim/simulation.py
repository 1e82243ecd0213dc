"""Simulate a workload on a platform under a policy; stop, inspect and fork the simulation.

The class is long because it is what users call: most methods are a few lines that check their
arguments and then call the core. Its sections are marked.
"""

from __future__ import annotations

import platform as host
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab import _core
from schedlab.errors import ParameterError, PolicyError, WorkloadError
from schedlab.platform import Failure, Platform, check_failures
from schedlab.policies import (
    ChosenPolicy,
    Policy,
    PolicyLike,
    find_policy,
    require_plans_nodes,
)
from schedlab.predict import PredictorLike
from schedlab.sim.added_jobs import added_demands, check_added, users_of_last, with_added
from schedlab.sim.attempting import Attempting, tiers_of
from schedlab.sim.attempts import attempts_of
from schedlab.sim.changes import Guests, machine_changes
from schedlab.sim.feasibility import LONGEST_S
from schedlab.sim.imagined import (
    Arrivals,
    Plan,
    check_arrivals,
    check_run_times,
    with_run_times,
)
from schedlab.sim.journal import Journal, SavedRun
from schedlab.sim.native import build_simulator
from schedlab.sim.node_demands import demands_if_any
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.places import find_place
from schedlab.sim.preemption import Preemption
from schedlab.sim.schedule import JobOutcome, Schedule
from schedlab.units import require_whole
from schedlab.version import __version__
from schedlab.workload import Workload
from schedlab.workload.workload import require_workload

if TYPE_CHECKING:
    from schedlab.sim.forecast import StartForecast

Progress = Callable[[int, int], None]
_PASSES_AT_A_TIME = 1_000
_NEVER = (1 << 63) - 1
_SWITCH = ("time_s", "candidate", "waiting", "gain", "error")


def simulate(
    workload: Workload,
    platform: Platform | int,
    policy: PolicyLike,
    *,
    tick: int = 0,
    depth: int | None = None,
    kill_at_request: bool = True,
    predict: PredictorLike | None = None,
    whole_nodes: bool = False,
    place: str = "lowest",
    failures: Iterable[Failure] = (),
    preemption: Preemption | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Schedule:
    """Replay the workload on the platform under the policy, and return what happened.

    Args:
        workload: the jobs.
        platform: the machine; a number stands for this number of equal nodes. Jobs share nodes
            if the platform says what its nodes have and the jobs say what they need of it;
            several clusters are one pool, unless the jobs name clusters (the column ``needs``).
        policy: a name such as ``"sjf+easy:depth=100"``, or a ``Policy`` or ``Order`` of your own.
        tick: events are seen only at multiples of this many seconds. Default: 0, at once.
        depth: number of waiting jobs that a pass considers. Default: all.
        kill_at_request: a job that exceeds its request is killed then; else it runs on.
        predict: a predictor of run times, such as ``"last-two"``. Default: the request.
        whole_nodes: every job has its nodes to itself. Default: as it asks.
        place: which nodes a job takes if more have room than it needs: ``"lowest"`` (default),
            ``"best-fit"``, ``"worst-fit"``, ``"weight"``, ``"switches"``, ``"fgd"`` or
            ``"random:seed=3"``.
        failures: nodes that go down without notice, as ``draw_failures`` gives them.
        preemption: lets waiting jobs take the nodes of running ones. Default: no job does.
        seed: recorded in the result, for users who generated the workload with it.
        progress: called now and then with the number of jobs that have ended, and of all jobs.
    """
    simulation = Simulation(
        workload,
        platform,
        policy,
        tick=tick,
        depth=depth,
        kill_at_request=kill_at_request,
        predict=predict,
        whole_nodes=whole_nodes,
        place=place,
        failures=failures,
        preemption=preemption,
        seed=seed,
    )
    simulation.run(progress=progress)
    return simulation.schedule()


class Simulation:
    """A simulation that can be stopped, looked at, changed and forked.

    It takes the same arguments as ``simulate``.
    """

    def __init__(
        self,
        workload: Workload,
        platform: Platform | int,
        policy: PolicyLike,
        *,
        tick: int = 0,
        depth: int | None = None,
        kill_at_request: bool = True,
        predict: PredictorLike | None = None,
        whole_nodes: bool = False,
        place: str = "lowest",
        failures: Iterable[Failure] = (),
        preemption: Preemption | None = None,
        seed: int | None = None,
    ) -> None:
        """Check that all jobs can run, and begin before the first of them."""
        require_workload(workload)
        self.platform = platform if isinstance(platform, Platform) else _equal_nodes(platform)
        tick = require_whole("tick", tick, most=LONGEST_S)
        depth = None if depth is None else require_whole("depth", depth, 1)
        if seed is not None:
            require_whole("seed", seed)
        self._chosen = find_policy(policy, depth=depth, predict=predict)
        self._place = find_place(place)
        self._place.require_serves(self._chosen)
        failures = check_failures(failures, self.platform.nodes)
        self._demands = demands_if_any(
            workload,
            self.platform,
            whole_nodes=whole_nodes,
            named=self._place.entry.tells_apart or preemption is not None,
            room=self._place.entry.looks_at_room,
            gpus=self._place.entry.looks_at_gpus,
            suspends=preemption is not None and preemption.suspends(workload),
        )
        self._require_plans(self._chosen, fails=bool(failures))
        self._predicts = (predictor := self._chosen.predictor.make(workload)) is not None
        self._preemption = preemption
        self._options: dict[str, Any] = {
            "tick": tick,
            "depth": depth,
            "kill_at_request": kill_at_request,
            "predict": self._chosen.predictor.name,
            "whole_nodes": whole_nodes,
            "place": self._place.name,
            "failures": [asdict(each) for each in failures],
            "preemption": None if preemption is None else preemption.to_dict(),
            "seed": seed,
        }
        self._jobs: tuple[Workload, ...] = (workload,)
        guests = Guests.of(workload, self.platform)
        changes = machine_changes(self.platform, guests, failures, tick)
        self._simulator = build_simulator(
            workload,
            self.platform.nodes,
            self._demands,
            attempting=Attempting.of(
                workload, self.platform, preemption, interrupted=changes is not None
            ),
            changes=changes,
            preemption=preemption,
            tick=tick,
            kill_at_request=kill_at_request,
            predictor=predictor,
            place=self._place.build(self.platform, self._demands),
        )
        self._simulator.use(self._chosen.core)
        self._journal = Journal(policy, depth, predict, self._options)
        self._wall_s = 0.0

    # Reading

    @property
    def now_s(self) -> int:
        """The time up to which everything is decided."""
        return self._simulator.now

    @property
    def policy(self) -> str:
        """The name of the policy that decides now."""
        return self._chosen.name

    @property
    def workload(self) -> Workload:
        """The jobs, with those that were added since the beginning."""
        return with_added(self._jobs)[0]

    @property
    def queue(self) -> _core.Queue:
        """The waiting jobs in the policy's order, as columns."""
        return self._simulator.view.queue

    @property
    def running(self) -> _core.Running:
        """The running jobs in order of start, as columns."""
        return self._simulator.view.running

    @property
    def free_nodes(self) -> int:
        """The number of nodes that no job holds now."""
        return self._simulator.view.free_nodes

    def start_times(self) -> NDArray[np.int64]:
        """Return the start of each job by its place, -1 where it has not started."""
        return self._simulator.start_times()

    def end_times(self) -> NDArray[np.int64]:
        """Return the end of each job by its place, -1 where it has not ended."""
        ended = self._simulator.states() != JobOutcome.WAITING
        return np.where(ended, self._simulator.end_times(), -1)

    def job_id(self, jobs: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the ``job_id`` of jobs given by their place, as in ``queue.job``."""
        return np.concatenate([part["job_id"] for part in self._jobs])[jobs]

    def schedule(self) -> Schedule:
        """Return what has happened: the start and end of all jobs that have ended."""
        workload, order = with_added(self._jobs)
        native, ranges = self._simulator, NodeRanges(*self._simulator.node_ranges())
        state = native.states()[order]
        made = Schedule(
            workload=workload,
            platform=self.platform,
            policy=self.policy,
            start_s=native.start_times()[order],
            end_s=native.end_times()[order],
            eligible_s=native.eligible_times()[order],
            first_reserved_s=native.promised_times()[order],
            state=state,
            estimate_s=native.estimates()[order] if self._predicts else None,
            node_ranges=ranges if len(self._jobs) == 1 else ranges.reordered(order),
            attempts=attempts_of(native, ranges, order),
            wall_s=self._wall_s,
            provenance=self._provenance(workload),
        )
        ended = state != JobOutcome.WAITING
        return made if ended.all() else made.take(ended)

    # Going on

    def run(self, until_s: int | None = None, progress: Progress | None = None) -> Simulation:
        """Go on to the end, or through all events up to a time; return the simulation.

        Args:
            until_s: the last second that is simulated. Default: all jobs end.
            progress: called now and then with the number of jobs that have ended, and of all jobs.
        """
        until = _NEVER if until_s is None else require_whole("until_s", until_s)
        began = time.perf_counter()
        jobs = sum(len(part) for part in self._jobs)
        while self._simulator.run(self._chosen.core, _PASSES_AT_A_TIME, until):
            if progress is not None:
                progress(self._simulator.ended, jobs)
        if progress is not None:
            progress(self._simulator.ended, jobs)
        self._wall_s += time.perf_counter() - began
        self._journal.ran(until_s)
        if until_s is None:
            self._require_nobody_waits()
        return self

    def step(self) -> bool:
        """Go on by one pass of the policy; return False when nothing more happens."""
        more = self._simulator.run(self._chosen.core, 1)
        self._journal.stepped()
        return more

    def fork(self) -> Simulation:
        """Return an independent simulation that goes on from here; this one is not changed."""
        made = object.__new__(Simulation)
        made.__dict__.update(self.__dict__)
        made._chosen = self._chosen.clone()
        made._simulator = self._simulator.fork(made._chosen.core)
        made._journal = self._journal.copy()
        return made

    # Imagining

    def unfinished(self) -> _core.Unfinished:
        """Return the jobs that are submitted and have not ended, as columns."""
        return _core.unfinished(self._simulator)

    def imagine(self, run_s: ArrayLike) -> Simulation:
        """Return a fork with another future; this simulation is not changed.

        The fork keeps what can be known now. It forgets true run times, and future jobs,
        withdrawals and failures of nodes. Future jobs can be added with ``submit``.

        Args:
            run_s: the run time of each job of ``unfinished()``, in its order.
        """
        jobs = self.unfinished()
        runs = check_run_times(jobs, np.asarray(run_s)[None])[0]
        made = self.fork()
        made._simulator.imagine(jobs.job, runs)
        made._jobs = with_run_times(self._jobs, jobs.job, runs)
        made._journal.imagined()
        return made

    def imagined_starts(
        self,
        run_s: ArrayLike,
        plans: Sequence[Plan] | None = None,
        *,
        arrivals: Sequence[Arrivals] | None = None,
        until_s: int | None = None,
        threads: int = 1,
    ) -> NDArray[np.int64]:
        """Return when each unfinished job starts in many futures under many plans.

        The starts are those of ``imagine(run_s).use(policy).run(until_s)``, but only the unfinished
        jobs cost time, however long the workload is. The first axis of the result is the future,
        the second the plan, the third the job in the order of ``unfinished()``; -1 is a job that
        does not start by ``until_s``. A job that runs already keeps its start.

        A predictor learns nothing in these futures: jobs that are not yet eligible are predicted
        now.

        Args:
            run_s: a row of run times for each future, as ``imagine`` takes it.
            plans: what decides: each plan is a policy, or a list of (policy, seconds from now)
                that decide one after the other, with a policy at its end. A policy knows nothing
                of the promises of the one before it. Default: the present policy alone.
            arrivals: the jobs that arrive in each future. Default: none.
            until_s: the last second that is simulated. Default: all jobs end.
            threads: number of threads.
        """
        runs = check_run_times(self.unfinished(), np.asarray(run_s))
        end = _NEVER if until_s is None else require_whole("until_s", until_s)
        return _core.imagined_starts(
            self._simulator,
            runs,
            check_arrivals(arrivals, runs, self.now_s, sum(map(len, self._jobs))),
            [self._stages(plan, end) for plan in ([self._chosen] if plans is None else plans)],
            require_whole("threads", threads, 1),
        )

    def _stages(self, plan: Plan | ChosenPolicy, end: int) -> list[tuple[_core.Policy, int]]:
        """Return the policies of a plan and until when each decides."""
        if isinstance(plan, ChosenPolicy):
            return [(plan.core, end)]
        *first, last = plan if isinstance(plan, list | tuple) else (plan,)
        stages = []
        for policy, for_s in first:
            until = self.now_s + require_whole("seconds of a plan", for_s, 1)
            stages.append((self._other(policy).core, min(until, end)))
        return [*stages, (self._other(last).core, end)]

    def forecast(self, **options: Any) -> StartForecast:
        """Return when the waiting jobs will start, with intervals.

        A ``Forecaster`` that stays beside the simulation learns from its own errors; this method
        uses a new one, which has not learnt yet.

        Args:
            options: those of ``Forecaster``: forks, arrivals, predict, seed, threads.
        """
        from schedlab.sim.forecast import Forecaster

        return Forecaster(self, **options).forecast()

    # Changing

    def use(self, policy: PolicyLike, *, depth: int | None = None) -> Simulation:
        """Let another policy decide from now on; return the simulation.

        Running jobs go on. The promises of the old policy are forgotten. The predictor stays.
        """
        self._chosen = self._other(policy, depth)
        self._simulator.use(self._chosen.core)
        self._journal.used(policy, depth)
        return self

    def _other(self, policy: PolicyLike, depth: int | None = None) -> ChosenPolicy:
        """Return the policy, if it can decide here."""
        chosen = find_policy(policy, depth=depth)
        self._place.require_serves(chosen)
        self._require_plans(chosen, fails=bool(self._options["failures"]))
        if chosen.predictor.name not in ("request", self._chosen.predictor.name):
            raise ParameterError(
                f"policy {chosen.name}: a running simulation keeps its predictor, "
                f'"{self._chosen.predictor.name}"; omit predict='
            )
        return replace(chosen, predictor=self._chosen.predictor)

    def submit(self, jobs: Workload) -> Simulation:
        """Add jobs that are submitted now or later; return the simulation."""
        require_workload(jobs)
        check_added(self._jobs, jobs, self.now_s)
        tick = self._options["tick"]
        needed = added_demands(jobs, self.platform, self._demands, self._simulator, tick)
        tiers = tiers_of(jobs, self.platform, self._preemption)
        self._jobs = (*self._jobs, jobs)
        users = users_of_last(self._jobs)
        for place in range(len(jobs)):
            self._simulator.add_job(
                id=int(jobs["job_id"][place]),
                submit=int(jobs["submit_s"][place]),
                nodes=needed[place].nodes,
                request=int(jobs["request_s"][place]),
                run=int(jobs["run_s"][place]),
                user=int(users[place]),
                parts=needed[place].parts,
                guest=needed[place].guest,
                tier=int(tiers[place]),
            )
        self._journal.submitted(jobs)
        return self

    def cancel(self, job_id: int) -> Simulation:
        """Withdraw the job if it has not started, kill it if it runs; return the simulation."""
        ids = np.concatenate([part["job_id"] for part in self._jobs])
        found = np.flatnonzero(ids == job_id)
        if not len(found):
            raise WorkloadError(f"job {job_id} is not in the workload")
        if self._simulator.states()[found[0]] != JobOutcome.WAITING:
            raise WorkloadError(f"job {job_id} has ended; only waiting and running jobs can be")
        self._simulator.cancel(int(found[0]))
        self._journal.cancelled(int(job_id))
        return self

    # Keeping

    def save(self, path: str | Path) -> None:
        """Write the state to a file, from which ``Simulation.load`` goes on.

        The file holds the jobs and all steps; loading repeats the steps. So the policy must be
        given by name (``package.module:Class`` for one of your own).
        """
        self._journal.save(path, self._jobs[0], self.platform, self.start_times())

    @staticmethod
    def load(path: str | Path) -> Simulation:
        """Return the simulation that ``save`` wrote."""
        saved = SavedRun.load(path)
        begin = dict(saved.begin)
        begin["failures"] = [Failure(**each) for each in begin["failures"]]
        if begin["preemption"] is not None:
            begin["preemption"] = Preemption(**begin["preemption"])
        made = Simulation(saved.jobs[0], saved.platform, begin.pop("policy"), **begin)
        for step in saved.steps:
            made._repeat(step, saved.jobs)
        saved.require_same(made.start_times())
        return made

    def _repeat(self, step: Mapping[str, Any], jobs: Sequence[Workload]) -> None:
        match step:
            case {"run": until_s}:
                self.run(until_s)
            case {"passes": count}:
                for _ in range(count):
                    self.step()
            case {"policy": policy, "depth": depth}:
                self.use(policy, depth=depth)
            case {"submit": part}:
                self.submit(jobs[part])
            case {"cancel": job_id}:
                self.cancel(job_id)

    def _require_plans(self, chosen: ChosenPolicy, *, fails: bool) -> None:
        """Refuse a policy that cannot plan the nodes of this machine."""
        if self._demands is not None or fails:
            counted = self._demands is None or self._demands.counted
            require_plans_nodes(chosen, counted=counted)

    def _require_nobody_waits(self) -> None:
        waiting = self._simulator.waiting
        if waiting:
            first = self.job_id(self.queue.job[:1])[0]
            raise PolicyError(
                f"policy {self.policy} left {waiting:,} jobs waiting for ever, job {first} first"
            )

    def _provenance(self, workload: Workload) -> dict[str, Any]:
        return {
            "policy": self.policy,
            **self._options,
            **_counters(self._chosen),
            **self._journal.facts(),
            "platform": self.platform.to_dict(),
            "workload": {"name": workload.name, "steps": list(workload.provenance)},
            "versions": {
                "schedlab": __version__,
                "numpy": np.__version__,
                "python": host.python_version(),
            },
        }


def _equal_nodes(count: SupportsIndex) -> Platform:
    try:
        return Platform.homogeneous(index(count))
    except TypeError:
        raise ParameterError(
            f"platform is {count!r}; must be a Platform or a whole number of nodes"
        ) from None


def _counters(chosen: ChosenPolicy) -> dict[str, Any]:
    """Return the counters of a policy, and when a lookahead switched or had another base."""
    core = chosen.core
    if isinstance(core, _core.Lookahead):
        return {
            "counters": {
                "decisions": core.decisions,
                "forks": core.rollouts,
                "switches": len(core.switches),
                "changes of the base": len(core.base_changes),
                "jobs put first": core.moves,
                "seconds under the guard": core.guarded,
            },
            "switches": [dict(zip(_SWITCH, each, strict=True)) for each in core.switches],
            "bases": [{"time_s": time_s, "candidate": name} for time_s, name in core.base_changes],
        }
    counters = core.counters() if isinstance(core, Policy) else {}
    return {"counters": dict(counters)} if counters else {}
