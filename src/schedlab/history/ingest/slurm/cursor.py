"""How far Slurm's accounting has been read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from schedlab.errors import InputError
from schedlab.history.ingest.source import AttemptCounter, fingerprint

OVERLAP_S = 600
"""Read again each time: rows reach the accounting some seconds after what they tell of."""


@dataclass
class SlurmCursor:
    """The moment up to which rows were read, or the file as it was, and attempts put back."""

    since_s: int = 0
    file: str = ""
    attempts: dict[str, list[int]] = field(default_factory=dict)
    evaluated: dict[str, int] = field(default_factory=dict)
    """When the scheduler last looked at jobs that ended and will be read once more."""
    queued: dict[str, list[str]] = field(default_factory=dict)
    """What squeue said of jobs that waited and that the accounting had not told of."""

    @classmethod
    def parse(cls, cursor: str | None) -> SlurmCursor:
        """Read it from its text; the beginning of time where there is none."""
        try:
            return cls(**json.loads(cursor)) if cursor else cls()
        except (TypeError, ValueError):
            raise InputError(f"the cursor {cursor!r} is not one of this source") from None

    def after(
        self,
        attempts: AttemptCounter,
        began_s: float,
        file: str | None,
        evaluated: dict[str, int],
        queued: dict[str, list[str]],
    ) -> SlurmCursor:
        """Return the cursor of the next reading, after one that began at that moment."""
        return SlurmCursor(
            since_s=max(0, int(began_s) - OVERLAP_S),
            file=fingerprint(file) if file else "",
            attempts=attempts.known(int(began_s)),
            evaluated=evaluated,
            queued=queued,
        )

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))
