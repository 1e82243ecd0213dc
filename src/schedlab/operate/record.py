"""What the loop has done, read from its log: the log is its only memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from schedlab.live.ledger import Entry

LOG = "operate.log"
ENDS = ("rejected", "rolled back", "stopped")
"""After these steps no policy steers."""


@dataclass(frozen=True)
class LoopRecord:
    """The state of the loop.

    Args:
        round: the number of the round, from 1; 0 before the first.
        last: the last step that was finished; empty before the first.
        entry: the entry of that step.
        steers: the policy that steers, or would go on after a restart; empty for none.
        digest: the digest of that policy.
        begun_at: when the round began.
        steps: the last entry of each step of this round, by name.
    """

    round: int = 0
    last: str = ""
    entry: Entry | None = None
    steers: str = ""
    digest: str = ""
    begun_at: float = 0.0
    steps: dict[str, Entry] | None = None

    def of(self, step: str) -> Entry:
        """Return the entry of a step of this round."""
        return (self.steps or {})[step]


def record_of(entries: Iterable[Entry]) -> LoopRecord:
    """Return the state of the loop at the end of a log."""
    made = LoopRecord()
    number, steers, digest, begun = 0, "", "", 0.0
    steps: dict[str, Entry] = {}
    for entry in entries:
        kind = entry["kind"]
        if kind == "notice failed":
            continue
        if kind == "round":
            number, begun, steps = entry["round"], entry["at"], {}
        if kind == "steers":
            steers, digest = entry["policy"], entry["digest"]
        if kind in ENDS:
            steers = digest = ""
        steps[kind] = entry
        made = LoopRecord(number, kind, entry, steers, digest, begun, dict(steps))
    return made


def effects_of(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that say what a policy did to waits, or would have done."""
    steps = ("tested", "shadowed", "watched")
    return [
        each for each in entries if each["kind"] in steps and each.get("difference") is not None
    ]


def policy_digest(policy: str) -> str:
    """Return a digest of a policy: of its file's content if it has one, else of its name."""
    path = Path(policy.partition(":")[2])
    content = path.read_bytes() if path.is_file() else policy.encode()
    return hashlib.sha256(content).hexdigest()[:16]


def sentence_of(entry: Entry) -> str:
    """Return what an entry says, in few words."""
    if entry.get("why"):
        return str(entry["why"])
    if entry.get("difference") is not None:
        interval = entry.get("interval")
        told = f" (95 %: {interval[0]:+.1%} to {interval[1]:+.1%})" if interval else ""
        return f"{entry['difference']:+.1%}{told}"
    if entry.get("candidates"):
        return f"the best of {len(entry['candidates'])}"
    for key, text in (
        ("wait_error", "the twin's mean wait is {:+.1%} from Slurm's"),
        ("who", "by {}"),
        ("jobs", "{:,} jobs"),
    ):
        if entry.get(key) is not None:
            return text.format(entry[key])
    return ""
