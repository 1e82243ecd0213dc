"""The thread of a worker that does periodic duties: alerts, reports and sums."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread

from schedlab.errors import ParameterError, SchedlabError
from schedlab.history.alerts.watch import watch
from schedlab.history.store import Store
from schedlab.history.store.duties import is_due, take_duty
from schedlab.history.web.database import Database
from schedlab.history.web.reports.deliver import Post
from schedlab.history.web.reports.pdf import browser
from schedlab.history.web.settings import ServiceSettings

_LOG = logging.getLogger("schedlab.service")
_LOOKED_EVERY_S = 5.0
_REPORTS_EVERY_S = 600.0
_SUMS_EVERY_S = 600.0


@dataclass(frozen=True)
class Duty:
    """A periodic task, which one worker at a time does.

    Args:
        name: its name in the store.
        every_s: the time from one run until the next is due.
        work: called with the present time, in epoch seconds.
    """

    name: str
    every_s: float
    work: Callable[[float], None]


class Watcher:
    """Does each duty when it is due, in a thread of its own.

    Args:
        database: the database that says what is due.
        duties: the duties to do.
    """

    def __init__(self, database: Database, duties: list[Duty]) -> None:
        self._database, self._duties = database, duties
        self._is_stopping = Event()
        self._thread = Thread(target=self._work, name="duties", daemon=True)

    def start(self) -> None:
        """Start the thread, if there are duties."""
        if self._duties:
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current duty."""
        self._is_stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def do_what_is_due(self, now_s: float) -> list[str]:
        """Do the duties that are due and return their names; log failures, which are due later."""
        return [duty.name for duty in self._duties if self._taken(duty, now_s)]

    def _taken(self, duty: Duty, now_s: float) -> bool:
        try:
            with self._database.reading_long() as connection:
                if not is_due(connection, duty.name, now_s):
                    return False
            with self._database.writing() as connection:
                if not take_duty(connection, duty.name, now_s, now_s + duty.every_s):
                    return False
            duty.work(now_s)
        except SchedlabError as error:
            _LOG.error("%s: %s", duty.name, error)
        except Exception:
            _LOG.exception("%s failed", duty.name)
        return True

    def _work(self) -> None:
        while not self._is_stopping.wait(_LOOKED_EVERY_S):
            self.do_what_is_due(time.time())


def watcher_of(database: Database, settings: ServiceSettings) -> Watcher:
    """Return a watcher that sums past days and does the duties that the site file asks for."""
    site, alerts = settings.site, settings.service.alerts
    store = Store(database.url, database.engine)
    duties = [Duty("sums", _SUMS_EVERY_S, store.sum_days)]
    if site is not None and alerts is not None:
        duties.append(
            Duty("alerts", alerts.every_s, lambda now_s: watch(database, site, alerts, now_s))
        )
    reports = settings.service.reports
    if site is not None and reports is not None:
        if "pdf" in reports.formats and browser() is None:
            told = "[service.reports] formats: pdf needs Chromium, which is not installed here"
            raise ParameterError(told)
        duties.append(Duty("reports", _REPORTS_EVERY_S, Post(database, site, reports).deliver))
    return Watcher(database, duties)
