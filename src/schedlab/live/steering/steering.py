"""Steering: at every period ask a policy, and change priorities within bounds, or only log it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, PeerError, SchedlabError
from schedlab.live.advice import Advice, advise
from schedlab.live.given import key_of
from schedlab.live.guards import Guards
from schedlab.live.ledger import Ledger, read_ledger
from schedlab.live.peer import Hand, Peer, SchedulerReader
from schedlab.live.queue import LiveJob
from schedlab.live.steering.release import not_returned, release_all, steered
from schedlab.live.steering.watchdog import start_watchdog
from schedlab.live.switch import LOG, SteeringSwitch
from schedlab.live.watch import LiveWatch, Look
from schedlab.policies import ChosenPolicy
from schedlab.version import __version__

LOOK_S = 0.25


@dataclass(frozen=True)
class FactorChange:
    """What is added to the priority of a waiting job, before and after."""

    job: str
    before: int
    after: int


@dataclass(frozen=True)
class Step:
    """What happened in one period.

    Args:
        look: the look at the scheduler.
        advice: the advice of the policy.
        changes: the changes that were made, or in a shadow would have been.
        failed: changes that were refused, and why.
    """

    look: Look
    advice: Advice
    changes: tuple[FactorChange, ...] = ()
    failed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the step as a JSON document."""
        return {
            **self.look.as_json(),
            "advice": self.advice.as_json(),
            "changes": [asdict(each) for each in self.changes],
            "failed": list(self.failed),
        }


def planned_changes(
    present: Mapping[str, int], wished: Mapping[str, int], most: int
) -> list[FactorChange]:
    """Return what to change: first all returns to 0, then the ``most`` largest other changes.

    Args:
        present: factors by handle.
        wished: wanted factors by handle; a job that is not there goes back to 0.
        most: maximum number of changes, beside returns to 0.
    """
    # A change of less than a hundredth of the largest wanted factor is not worth a request.
    least = max((abs(factor) for factor in wished.values()), default=0) / 100
    all_of_them = [
        FactorChange(handle, present.get(handle, 0), wished.get(handle, 0))
        for handle in sorted(present.keys() | wished.keys())
    ]
    changed = [each for each in all_of_them if each.before != each.after]
    returns = [each for each in changed if not each.after]
    others = [each for each in changed if each.after and abs(each.after - each.before) >= least]
    others.sort(key=lambda each: -abs(each.after - each.before))
    return returns + others[:most]


class Steering:
    """Asks a policy at every step; a shadow only writes down what it would do.

    Args:
        watch: the watch of the running scheduler; it reads factors if they are to be changed.
        policy: the policy that is asked.
        guards: what is allowed.
        cpus: number of CPUs of the machine.
        ledger: gets every decision, before it is carried out.
        hand: changes factors; None for a shadow.
        beat: called between the parts of a step; if it returns false, the changes stop.
    """

    def __init__(
        self,
        watch: LiveWatch,
        policy: ChosenPolicy,
        guards: Guards,
        cpus: int,
        ledger: Ledger,
        hand: Hand | None = None,
        beat: Callable[[], bool] = lambda: True,
    ) -> None:
        self._watch, self._policy, self._guards, self._cpus = watch, policy, guards, cpus
        self._ledger, self._hand, self._beat = ledger, hand, beat
        watch.beat = beat
        self._imagined: dict[str, int] = {}
        self._told: set[str] = set()
        self._ledger.add(
            "begin",
            time.time(),
            mode="shadow" if hand is None else "steer",
            policy=policy.name,
            guards=asdict(guards),
            version=__version__,
        )

    def warm_up(self) -> None:
        """Look once, before the watchdog starts: the first look takes longest."""
        self._watch.look()

    def step(self) -> Step:
        """Look, ask the policy, and change factors; PeerError if the scheduler does not answer."""
        look = self._watch.look()
        self._beat()
        waiting = self._watch.mirror.waiting()
        advice = advise(look, waiting, self._policy, self._guards, self._cpus, self._beat)
        self._beat()
        self._log_forecasts(look)
        if advice.refused:
            self._ledger.add("refused", look.at, why=advice.refused)
        wished = {} if advice.refused else advice.factors
        present = self._present(waiting)
        bases = {job.handle: job.base for job in waiting}
        changes, failed = [], []
        for change in planned_changes(present, wished, self._guards.changes):
            if not self._beat():  # the watchdog or an operator may have taken over
                break
            try:
                self._make(change, look.at, bases[change.job])
                changes.append(change)
            except PeerError as error:
                self._ledger.add("failed", look.at, job=change.job, why=str(error))
                failed.append(f"job {change.job}: {error}")
        return Step(look, advice, tuple(changes), tuple(failed))

    def _present(self, waiting: list[LiveJob]) -> dict[str, int]:
        if self._hand is not None:
            return {job.handle: job.site_factor for job in waiting}
        return {job.handle: self._imagined.get(key_of(job.handle), 0) for job in waiting}

    def _make(self, change: FactorChange, at: float, base: int) -> None:
        kind = "wish" if self._hand is None else "change"
        # The log comes first: a change that cannot be logged is not made.
        what = {"job": change.job, "of": change.before, "to": change.after, "base": base}
        self._ledger.add(kind, at, **what)
        if self._hand is None:
            self._imagined[key_of(change.job)] = change.after
        else:
            self._hand.set_factor(change.job, base + change.after)
            self._watch.mirror.steered(change.job, change.after)

    def _log_forecasts(self, look: Look) -> None:
        """Log the first forecast of each job, to be compared with its start later."""
        new = {
            each.job: [round(each.low), round(each.likely), round(each.high)]
            for each in look.forecasts
            if each.job not in self._told
        }
        if new:
            self._told |= new.keys()
            self._ledger.add("forecasts", look.at, starts=new)


def refuse_strangers(reader: SchedulerReader, log: Path) -> None:
    """Raise InputError if someone else sets factors, too."""
    known = not_returned(read_ledger(log)) if log.exists() else set()
    for handle, job in steered(reader.read().jobs, set()).items():
        if key_of(handle) not in known:
            raise InputError(
                f"job {handle} has factor {job.site_factor}, which schedlab did not set; "
                "steering would undo what somebody else does"
            )


def steer(
    make: Callable[[Callable[[], bool]], Steering],
    peer: Peer,
    reader: SchedulerReader,
    hand: Hand,
    folder: Path,
    *,
    every_s: float,
    expire_s: float = 3600.0,
    steps: int | None = None,
    tell: Callable[[Step | str], None] = lambda step: None,
    **what: Any,
) -> bool:
    """Steer until the switch is off; nothing is added to priorities before and after.

    Return whether all steps were made; false if somebody has turned it off.

    If this process dies or hangs, a watchdog returns all priorities after one period.

    Args:
        make: makes the steering; its argument is to be called between the parts of a step.
        peer: the scheduler.
        reader: a reader with factors.
        hand: changes the factors.
        folder: the folder with the switch and the log.
        every_s: the length of one period.
        expire_s: all priorities return after this long without a step that worked.
        steps: number of steps. Default: no limit.
        tell: called with each step, or with what went wrong in it.
        what: is written into the switch.
    """
    refuse_strangers(reader, folder / LOG)
    release_all(reader, hand, folder / LOG)
    switch = SteeringSwitch(folder)
    steering = make(switch.beat)
    steering.warm_up()
    switch.on(every_s=every_s, **what)
    dog = start_watchdog(folder, every_s, peer.conf)
    try:
        done, worked = 0, time.monotonic()
        while switch.beat() and (steps is None or done < steps):
            until = time.monotonic() + every_s
            try:
                tell(steering.step())
                worked = time.monotonic()
            except PeerError as error:
                tell(str(error))
                if time.monotonic() - worked > expire_s:
                    _release(reader, hand, folder, tell)
            done += 1
            while switch.beat() and time.monotonic() < until:
                time.sleep(LOOK_S)
            if dog.poll() is not None and switch.is_on:
                tell("the watchdog was gone; a new one is there")
                dog = start_watchdog(folder, every_s, peer.conf)
        if not (is_whole := done == steps and switch.is_on):
            tell("the switch is off: the steering ends")
        return is_whole
    finally:
        switch.off()
        _release(reader, hand, folder, tell)


def _release(
    reader: SchedulerReader, hand: Hand, folder: Path, tell: Callable[[Step | str], None]
) -> None:
    """Try once to return all priorities; if that fails, the watchdog goes on trying."""
    try:
        number = release_all(reader, hand, folder / LOG)
        Ledger(folder / LOG).add("released", time.time(), returned=number)
    except SchedlabError as error:
        tell(f"{error}; the watchdog goes on until all have returned")
