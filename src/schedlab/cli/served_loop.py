"""The loop of a site folder as the service shows it."""

from __future__ import annotations

from pathlib import Path

from schedlab.history.web.loop import LoopEffect, LoopState, LoopStep
from schedlab.live.ledger import Entry, read_ledger
from schedlab.live.switch import SteeringSwitch
from schedlab.operate.gate import Gate, GateAnswer
from schedlab.operate.record import LOG, effects_of, record_of, sentence_of


class ServedLoop:
    """Reads the log of the loop, and leaves messages in its folder of answers.

    Args:
        folder: the site folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._gate = Gate(folder / "operate")

    def state(self) -> LoopState | None:
        """Return the state of the loop; None if no loop has run."""
        path = self._folder / "operate" / LOG
        if not path.exists():
            return None
        entries = list(read_ledger(path))
        record = record_of(entries)
        watched = [each for each in entries if each["kind"] == "watched"]
        return LoopState(
            record.round,
            record.last,
            record.steers,
            SteeringSwitch(self._folder / "live").is_on,
            record.of("asked")["policy"] if record.last == "asked" else "",
            sentence_of(watched[-1]) if watched else "",
            [_step(each) for each in reversed(entries)],
            [_effect(each) for each in effects_of(entries)],
        )

    def answer(self, yes: bool, who: str, code: str) -> None:
        """Answer the loop's question; the loop takes the answer if the code is right."""
        self._gate.answer(GateAnswer(yes, f"{who}, on the page", code))

    def stop(self, who: str) -> None:
        """Ask the loop to end the steering."""
        self._gate.stop(f"{who}, on the page")


def _step(entry: Entry) -> LoopStep:
    return LoopStep(
        entry["at"],
        entry["round"],
        entry["kind"],
        str(entry.get("policy", "")),
        str(entry.get("digest", "")),
        sentence_of(entry),
    )


def _effect(entry: Entry) -> LoopEffect:
    interval = entry.get("interval")
    return LoopEffect(
        entry["at"],
        entry["round"],
        entry["kind"],
        str(entry.get("policy", "")),
        float(entry["difference"]),
        (float(interval[0]), float(interval[1])) if interval else None,
    )
