"""Read a running Grid Engine by its commands, with reading rights only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from schedlab.errors import PeerError
from schedlab.live.given import GivenPriorities
from schedlab.live.grid_engine.accounting import Accounting
from schedlab.live.grid_engine.answers import (
    SubmissionDetails,
    closed_nodes,
    job_numbers,
    live_jobs,
    submissions,
)
from schedlab.live.grid_engine.cell import GridEngineCell
from schedlab.live.grid_engine.commands import GridEngineCommands
from schedlab.live.peer import TIMEOUT_S, Ended
from schedlab.live.queue import Reading

_QUEUE = ("qstat", "-u", "*", "-r", "-pri", "-ext", "-g", "t")
_AT_ONCE = 200
"""The largest number of new jobs in one command."""


@dataclass
class GridEngineReader:
    """Reads the queue and the hosts: two commands, and a third one if there are new jobs.

    Args:
        engine: the commands.
        cell: the settings of the cell.
        accounting: knows how jobs ended.
        given: knows which priorities steering has set.
        timeout_s: how long qmaster may take to answer each command.
    """

    engine: GridEngineCommands
    cell: GridEngineCell
    accounting: Accounting
    given: GivenPriorities = field(default_factory=GivenPriorities)
    timeout_s: float = TIMEOUT_S
    _told: dict[int, SubmissionDetails] = field(default_factory=dict, repr=False)

    def read(self) -> Reading:
        """Look at the cell now; PeerError if it does not answer."""
        begun, tick = time.time(), time.monotonic()
        self.given.read_on()
        queue = self.engine.xml(*_QUEUE, timeout_s=self.timeout_s)
        hosts = self.engine.xml("qhost", "-q", timeout_s=self.timeout_s)
        numbers = job_numbers(queue)
        self._told = {number: told for number, told in self._told.items() if number in numbers}
        self._ask_about(sorted(numbers - self._told.keys()))
        jobs, notes = live_jobs(queue, self.cell, self._told, self.given, begun)
        if self.cell.reservations:
            notes.append(
                f"max_reservation is {self.cell.reservations}; the twin knows no reservations"
            )
        closed = closed_nodes(hosts, self.cell)
        took_s = time.monotonic() - tick
        return Reading(begun, tuple(jobs), closed, {}, took_s, tuple(notes))

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return how jobs that left the queue have ended; unknown jobs are left out."""
        return self.accounting.ended(list(names))

    def _ask_about(self, numbers: Sequence[int]) -> None:
        """Ask for the submission details of jobs; if that fails, ask about each job alone."""
        for at in range(0, len(numbers), _AT_ONCE):
            some = numbers[at : at + _AT_ONCE]
            try:
                self._told |= self._submissions(some)
            except PeerError:
                for number in some if len(some) > 1 else ():
                    self._ask_about([number])

    def _submissions(self, numbers: Sequence[int]) -> dict[int, SubmissionDetails]:
        names = ",".join(map(str, numbers))
        return submissions(self.engine.xml("qstat", "-j", names, timeout_s=self.timeout_s))
