"""The week of a loop: which policies steered, with which effect, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from schedlab.live.ledger import Entry, read_ledger
from schedlab.live.switch import LIVE
from schedlab.live.switch import LOG as STEERING_LOG
from schedlab.operate.record import ENDS, LOG, effects_of

_FOUND = {"tested": "in the test", "shadowed": "of a shadow", "watched": "while it steered"}


@dataclass(frozen=True)
class WeekEffect:
    """What a policy did to waits, or would have done; times are means in seconds."""

    at: float
    policy: str
    found: str
    jobs: int
    without_s: float
    with_s: float
    change: float
    interval: str


@dataclass(frozen=True)
class LoopWeek:
    """What the loop did between two moments.

    Args:
        entries: the entries of its log.
        effects: the effects that became known.
        policies: the policies that steered.
        steered_h: for how long they steered, in hours.
        changes: number of changes of priorities, including returns.
        refused: number of periods in which a guard forbade all changes.
    """

    entries: Sequence[Entry]
    effects: Sequence[WeekEffect]
    policies: Sequence[str]
    steered_h: float
    changes: int
    refused: int


def week_of(site: Path, from_s: float, to_s: float) -> LoopWeek:
    """Read the logs of a site folder."""
    log, other = site / "operate" / LOG, site / LIVE / STEERING_LOG
    entries = list(read_ledger(log)) if log.exists() else []
    within = [each for each in entries if from_s <= each["at"] < to_s]
    kinds = [
        each["kind"]
        for each in (read_ledger(other) if other.exists() else ())
        if from_s <= each["at"] < to_s
    ]
    spans = list(steered_spans(entries, to_s))
    inside = [(max(begin, from_s), min(end, to_s), policy) for begin, end, policy in spans]
    inside = [each for each in inside if each[0] < each[1]]
    return LoopWeek(
        within,
        [_effect(each) for each in effects_of(within)],
        list(dict.fromkeys(policy for _, _, policy in inside)),
        sum(end - begin for begin, end, _ in inside) / 3600,
        kinds.count("change"),
        kinds.count("refused"),
    )


def steered_spans(entries: Iterable[Entry], now: float) -> Iterable[tuple[float, float, str]]:
    """Yield the beginning, end and policy of each steering; one that goes on ends now."""
    begun: Entry | None = None
    for entry in entries:
        if begun is not None and entry["kind"] in ("steers", "steered", "ended", *ENDS):
            yield begun["at"], entry["at"], begun["policy"]
            begun = None
        if entry["kind"] == "steers":
            begun = entry
    if begun is not None:
        yield begun["at"], max(now, begun["at"]), begun["policy"]


def _effect(entry: Entry) -> WeekEffect:
    interval = entry.get("interval")
    tested = entry["kind"] == "tested"
    return WeekEffect(
        entry["at"],
        str(entry["policy"]),
        _FOUND[entry["kind"]],
        int(entry.get("jobs", 0)),
        float(entry["without" if tested else "without_s"]),
        float(entry["with_it" if tested else "with_s"]),
        float(entry["difference"]),
        f"{interval[0]:+.1%} to {interval[1]:+.1%}" if interval else "",
    )
