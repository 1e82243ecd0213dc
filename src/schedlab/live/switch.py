"""The file that lets a steering go on: it must exist, and be touched again and again."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import OutputError

LIVE = "live"
"""The folder of a site that keeps the switch and the logs."""
SWITCH, LOG, WATCHDOG_LOG = "steering.on", "steering.log", "watchdog.log"


@dataclass(frozen=True)
class SteeringSwitch:
    """A file in the folder of a live site; deleting it ends the steering."""

    folder: Path

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.folder / SWITCH

    @property
    def is_on(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    def on(self, **what: Any) -> None:
        """Create the file; only one steering may be on at a time."""
        text = json.dumps({"pid": os.getpid(), "since": round(time.time(), 3), **what})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self.path.open("x", encoding="utf-8") as file:
                file.write(text + "\n")
        except FileExistsError:
            raise OutputError(
                f"{self.path}: another steering is on, or ended without notice; end it with: "
                "schedlab live stop"
            ) from None
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from None

    def beat(self) -> bool:
        """Touch the file, to show that the steering lives; return false if it is to end."""
        try:
            os.utime(self.path)
        except OSError:
            return False
        return True

    def off(self) -> None:
        """Delete the file, if it exists."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be deleted: {error.strerror}") from None

    def last_beat(self) -> int | None:
        """Return a number that changes with every beat; None if the switch is off."""
        try:
            return self.path.stat().st_mtime_ns
        except OSError:
            return None
