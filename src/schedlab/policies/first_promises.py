"""Conservative backfilling with promises for the first waiting jobs only."""

from __future__ import annotations

from schedlab.errors import ParameterError
from schedlab.policies.policy import Policy, View
from schedlab.policies.promises import Promises


class FirstPromises(Policy):
    """Promises the first waiting jobs a start; others may start if they delay none of these.

    Jobs come in order of submission. With one promise this is EASY on one cluster.
    """

    counts_nodes = True

    def __init__(self, promises: int, depth: int | None = None) -> None:
        """Promise a start to this number of waiting jobs.

        Args:
            promises: the number.
            depth: how many waiting jobs a pass considers; None: all.
        """
        super().__init__()
        for what, value in (("promises", promises), ("depth", depth)):
            if value is not None and value < 1:
                raise ParameterError(f'policy "conservative": {what} is {value}; must be >= 1')
        self._limit = promises
        self._depth = depth
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
        for job in waiting[: self._depth]:
            if job not in self._promises:
                if later >= self._limit:
                    if view.can_start(job):
                        view.start(job)
                    continue
                self._promises.make(view, job)
            later += self._promises.starts_s[job] > view.now
        self._promises.start_due(view, waiting)
