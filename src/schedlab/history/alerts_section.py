"""What is watched, and who is notified: ``[service.alerts]`` of the site file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

from schedlab.command_files import read_secret
from schedlab.errors import InputError, ParameterError, UnknownNameError
from schedlab.history.notify.section import check_address, check_url

KINDS = ("source-lag", "coverage", "idle-gpu", "queue")
"""The kinds of alerts."""
_HOURS = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")
_LEAST_EVERY_S, _MOST_EVERY_S = 10, 7 * 86400
_MOST_H = 87_660
"""Ten years, well within the times that the store can hold."""


@dataclass(frozen=True, kw_only=True)
class AlertsSection:
    """``[service.alerts]``.

    Args:
        off: kinds of alerts that are switched off.
        every_s: seconds from one check to the next.
        source_lag_h: hours in which a job of each source must have ended.
        coverage: coverage has fallen when it is below this share of that of the week before.
        idle_gpu_h: hours after which an idle GPU of a running job is an alert.
        queue_factor: the queue is too long at this many times its usual length.
        queue_least: a queue of fewer jobs is never too long.
        email: addresses that get messages.
        webhook: a URL that gets messages, as JSON.
        webhook_file: a file with that URL, if the URL is a secret.
        quiet: hours without messages, such as ``22:00-07:00`` in the site's zone.
        remind_h: hours after which an unacknowledged alert is sent again.
    """

    off: tuple[str, ...] = ()
    every_s: int = 300
    source_lag_h: float = 24.0
    coverage: float = 0.5
    idle_gpu_h: float = 2.0
    queue_factor: float = 3.0
    queue_least: int = 20
    email: tuple[str, ...] = ()
    webhook: str | None = None
    webhook_file: str | None = None
    quiet: str | None = None
    remind_h: float = 24.0

    def __post_init__(self) -> None:
        for kind in self.off:
            if kind not in KINDS:
                raise UnknownNameError("kind of alert in off", kind, KINDS)
        for key in ("source_lag_h", "idle_gpu_h", "queue_factor", "remind_h"):
            if getattr(self, key) <= 0:
                raise ParameterError(f"{key} is {getattr(self, key):g}; must be > 0")
        for key in ("source_lag_h", "idle_gpu_h", "remind_h"):
            if getattr(self, key) > _MOST_H:
                raise ParameterError(f"{key} is {getattr(self, key):g}; must be <= {_MOST_H}")
        if not _LEAST_EVERY_S <= self.every_s <= _MOST_EVERY_S:
            raise ParameterError(
                f"every_s is {self.every_s}; must be {_LEAST_EVERY_S} to {_MOST_EVERY_S}"
            )
        if not 0 <= self.coverage <= 1:
            raise ParameterError(f"coverage is {self.coverage:g}; must be from 0 to 1")
        for address in self.email:
            check_address("email", address)
        if self.webhook is not None and self.webhook_file is not None:
            raise ParameterError("webhook and webhook_file exclude each other; give one of them")
        if self.webhook is not None:
            check_url("webhook", self.webhook)
        self._quiet_hours()

    @property
    def watched(self) -> tuple[str, ...]:
        """The kinds of alerts that are switched on."""
        return tuple(kind for kind in KINDS if kind not in self.off)

    def webhook_url(self, folder: Path) -> str | None:
        """Return the URL of the webhook, or None if there is none."""
        if self.webhook_file is None:
            return self.webhook
        path = folder / self.webhook_file
        url = read_secret(path, "webhook")
        if not url.startswith(("https://", "http://")):
            raise InputError(f"webhook {path}: must hold a URL that begins with https://")
        return url

    def is_quiet(self, moment: datetime) -> bool:
        """Return whether that moment, in the site's zone, is within the quiet hours."""
        hours = self._quiet_hours()
        if hours is None:
            return False
        begin, end = hours
        now = moment.time()
        return begin <= now < end if begin <= end else now >= begin or now < end

    def _quiet_hours(self) -> tuple[time, time] | None:
        if self.quiet is None:
            return None
        found = _HOURS.fullmatch(self.quiet.strip())
        try:
            if found is None:
                raise ValueError
            return time.fromisoformat(found[1]), time.fromisoformat(found[2])
        except ValueError:
            told = f'quiet is "{self.quiet}"; must be hours such as 22:00-07:00'
            raise ParameterError(told) from None
