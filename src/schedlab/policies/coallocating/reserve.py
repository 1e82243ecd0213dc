"""First come, first served on all clusters that a job needs."""

from __future__ import annotations

from schedlab.errors import ParameterError
from schedlab.policies.coallocating.promises import Promises
from schedlab.policies.policy import Policy, View


class Reserve(Policy):
    """Promises jobs, in order of submission, the earliest time at which all they need is free.

    On one cluster this is conservative backfilling, and with one promise EASY.
    """

    counts_nodes = True

    def __init__(self, promises: int | None = None) -> None:
        """Promise the first waiting jobs a start; others may start if they delay none of these.

        Args:
            promises: how many; None: every job.
        """
        super().__init__()
        if promises is not None and promises < 1:
            raise ParameterError(f'policy "reserve": promises is {promises}; must be >= 1')
        self._limit = promises
        self._promises = Promises()

    def begin(self) -> None:
        """Forget the promises of an earlier simulation."""
        self._promises = Promises()

    def schedule(self, view: View) -> None:
        """Keep promises, make new ones, start what is due."""
        waiting = view.queue.job.tolist()
        self._promises.renew(view, waiting)
        self._promises.move_earlier(view)
        later = 0
        for job in waiting:
            if job not in self._promises:
                if self._limit is not None and later >= self._limit:
                    if view.can_start(job):
                        view.start(job)
                    continue
                self._promises.make(view, job)
            later += self._promises.starts_s[job] > view.now
        self._promises.start_due(view, waiting)
