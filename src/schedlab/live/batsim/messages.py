"""Messages of Batsim's protocol, and the answers to them, in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedlab.errors import PeerError
from schedlab.sim.feasibility import LONGEST_S
from schedlab.workload.readers.batsim_json import NOISE_S

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Event:
    """An event of the simulation: its time, its type and its data."""

    timestamp: float
    kind: str
    data: Fields

    def field(self, name: str, kind: type[Any]) -> Any:
        """Return a field of the data, which must exist and have this type."""
        return typed(self.data, name, kind, self.kind)


@dataclass(frozen=True)
class Message:
    """The present time, and the events since the last message."""

    now: float
    events: tuple[Event, ...]


def parse_message(raw: bytes) -> Message:
    """Return the message in these bytes."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise PeerError(f"a message from Batsim is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise PeerError(f"a message from Batsim is {_short(content)}; must be an object")
    now = _time(content, "now", "a message")
    events = tuple(_event(each, now) for each in typed(content, "events", list, "a message"))
    times = [event.timestamp for event in events]
    if times != sorted(times):
        raise PeerError(f"Batsim sent events out of order, at {', '.join(map(str, times))}")
    return Message(now, events)


def answer(now: float, events: Sequence[tuple[str, Fields]]) -> bytes:
    """Return the answer with these events, each a type and its data, at the present time."""
    made = [{"timestamp": now, "type": kind, "data": data} for kind, data in events]
    return json.dumps({"now": now, "events": made}).encode()


def typed(of: Fields, name: str, kind: type[Any], where: str) -> Any:
    """Return the value of this name, which must exist and have this type."""
    value = of.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        words = {list: "a list", dict: "an object", str: "a text", int: "a whole number"}
        raise PeerError(f"Batsim sent {where} with {name} {_short(value)}; must be {words[kind]}")
    return value


def clock_s(time: float) -> int:
    """Round a time of Batsim, which has a fraction, to the nearest whole second."""
    return math.floor(time + 0.5)


def request_s(walltime: float) -> int:
    """Return a walltime in whole seconds, rounded up as in workload files."""
    return max(1, math.ceil(min(walltime, 2 * LONGEST_S) - NOISE_S))


def interval_set(numbers: Sequence[int]) -> str:
    """Write rising numbers of resources as Batsim does: ``0-3 7``."""
    words: list[list[int]] = []
    for number in numbers:
        if words and words[-1][1] + 1 == number:
            words[-1][1] = number
        else:
            words.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in words)


def _event(content: Any, now: float) -> Event:
    if not isinstance(content, dict):
        raise PeerError(f"Batsim sent an event {_short(content)}; must be an object")
    kind = typed(content, "type", str, "an event")
    timestamp = _time(content, "timestamp", kind)
    if timestamp > now:
        raise PeerError(f"Batsim sent {kind} of time {timestamp} in a message of time {now}")
    return Event(timestamp, kind, typed({"data": {}, **content}, "data", dict, kind))


def _time(of: Fields, name: str, where: str) -> float:
    value = of.get(name)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 <= value <= LONGEST_S):  # type: ignore[operator]
        raise PeerError(f"Batsim sent {where} with {name} {_short(value)}; must be a time >= 0")
    return float(value)  # type: ignore[arg-type]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
