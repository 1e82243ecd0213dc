"""The loop of a site: which step comes next. A restart goes on where the log ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from schedlab.errors import InputError, SchedlabError
from schedlab.operate.record import LoopRecord, sentence_of
from schedlab.operate.steps import LOOK_S, Steps

TRIES = 5
"""A step that fails this often in a row ends the round."""


class Loop:
    """Collect, check, learn, test, shadow, ask, steer, watch."""

    def __init__(self, steps: Steps) -> None:
        """Take the steps of a site."""
        self.steps = steps

    def run(self, rounds: int | None = None) -> None:
        """Go on where the log ends; stop after this number of rounds, or never."""
        with _alone(self.steps.folder / "lock"):
            self._run(rounds)

    def _run(self, rounds: int | None) -> None:
        failed, ended = 0, 0
        while rounds is None or ended < rounds:
            record = self.steps.record()
            self._await_round(record)
            try:
                self._next(record)(record)
                failed = 0
            except SchedlabError as error:
                failed += 1
                self.steps.say(f"{error}")
                if failed == TRIES:
                    self.steps.tell("failed", f"a step has failed {TRIES} times: {error}")
                    self.steps.end(self.steps.record(), f"{record.last or 'round'}: {error}")
                    failed = 0
                else:
                    time.sleep(min(self.steps.every_s, 60.0))
            ended += self.steps.record().last == "ended"

    def _next(self, record: LoopRecord) -> Callable[[LoopRecord], None]:
        good = record.entry is not None and record.entry.get("good", True)
        match record.last:
            case "" | "ended":
                return self.steps.begin
            case "round":
                return self.steps.collect
            case "collected":
                return self.steps.check
            case "checked" if good:
                return self.steps.learn
            case "learned":
                return self.steps.test
            case "tested" if good and record.of("tested")["digest"] == record.digest:
                return self.steps.steer
            case "tested" if good:
                return self.steps.shadow
            case "shadowing":
                return self.steps.shadow
            case "shadowed" if good:
                return self.steps.ask if self.steps.settings.gate else self.steps.allow
            case "asked":
                return self.steps.hear
            case "allowed" | "steers":
                return self.steps.steer
            case "steered":
                return self.steps.watch
            case "watched" if good and not self.steps.is_due(record):
                return self.steps.steer
            case "watched" if good:
                return lambda record: self.steps.end(record, "another round is due", keep=True)
        why = sentence_of(record.entry) if record.entry else ""
        why = why or record.last
        return lambda record: self.steps.end(record, why)

    def _await_round(self, record: LoopRecord) -> None:
        if record.last == "ended" and not self.steps.is_due(record):
            self.steps.say("the next round begins when it is due")
            while not self.steps.is_due(record):
                time.sleep(LOOK_S)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Be the only loop of the site while the block lasts, even if another was killed."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{path}: another loop runs at this site") from None
        yield
