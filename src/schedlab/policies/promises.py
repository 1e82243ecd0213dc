"""Promised starts that are kept from pass to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schedlab.policies.policy import View


class Promises:
    """The start promised to each waiting job; it may get earlier, never later.

    Only jobs that outlive their prediction, or their request where they are not killed, can break
    a promise: while one does, and then until no promise is in the past, all are replanned. These
    are the rules of conservative backfilling (Mu'alem & Feitelson, IEEE TPDS 2001).
    """

    def __init__(self) -> None:
        self._start_s: dict[int, int] = {}
        self._broken = False
        self.room_since_s: int | None = None
        """When a job first left a place in the plan since promises last moved."""

    def __contains__(self, job: int) -> bool:
        return job in self._start_s

    @property
    def starts_s(self) -> Mapping[int, int]:
        """The start that each job was promised last."""
        return self._start_s

    def renew(self, view: View, waiting: Sequence[int]) -> None:
        """Reserve in the plan of this pass what was promised, and see whether there is room."""
        kept = [job for job in waiting if job in self._start_s]
        if self.room_since_s is None and (len(kept) < len(self._start_s) or _ended_early(view)):
            self.room_since_s = view.now
        self._start_s = {job: self._start_s[job] for job in kept}
        past = any(start_s < view.now for start_s in self._start_s.values())
        self._broken = view.overdue or (self._broken and past)
        void = self._broken or view.plans_are_void
        for job in kept:
            self.make(view, job, at=None if void else self._start_s[job])
        if void or not kept:
            self.room_since_s = None

    def move_earlier(self, view: View) -> None:
        """Give, if there is room, each job in turn the earliest start that the others leave."""
        if self.room_since_s is None:
            return
        for job in self._start_s:
            view.give_back(job)
            self.make(view, job)
        self.room_since_s = None

    def make(self, view: View, job: int, at: int | None = None) -> None:
        """Promise the job that start, or the earliest that moves no other."""
        self._start_s[job] = view.reserve(job, at)

    def start_due(self, view: View, waiting: Sequence[int], wake_s: int | None = None) -> None:
        """Start the jobs promised for now; ask for a pass at the next promise, or at ``wake_s``."""
        due = [job for job in waiting if self._start_s.get(job) == view.now]
        for job in due:
            view.start(job)
            del self._start_s[job]
        times_s = [] if self._broken else list(self._start_s.values())
        times_s += [] if wake_s is None else [wake_s]
        if times_s:
            view.wake_at(min(times_s))


def _ended_early(view: View) -> bool:
    return any(view.release_s(job) > view.now for job in view.completed.tolist())
