"""How far Slurm's accounting has been read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from schedlab.errors import InputError
from schedlab.history.ingest.source import AttemptCounter, fingerprint

OVERLAP_S = 600
"""Time before the last reading that is read again: rows reach the accounting seconds late."""


@dataclass
class SlurmCursor:
    """The moment up to which rows were read, or the state of the file; and attempts put back."""

    since_s: int = 0
    file: str = ""
    attempts: dict[str, list[int]] = field(default_factory=dict)
    evaluated: dict[str, int] = field(default_factory=dict)
    """When the scheduler last looked at jobs that ended and will be read once more."""
    queued: dict[str, list[str]] = field(default_factory=dict)
    """Rows of squeue for waiting jobs that were not yet in the accounting."""

    @classmethod
    def parse(cls, cursor: str | None) -> SlurmCursor:
        """Read a cursor from its text; without a text, begin at the start of time."""
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
        """Return the cursor for the next reading, after one that began at ``began_s``."""
        return SlurmCursor(
            since_s=max(0, int(began_s) - OVERLAP_S),
            file=fingerprint(file) if file else "",
            attempts=attempts.known(int(began_s)),
            evaluated=evaluated,
            queued=queued,
        )

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))
