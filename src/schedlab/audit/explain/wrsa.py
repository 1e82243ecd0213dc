"""Explanations of whose turn it was by the accuracy of the users' requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from schedlab import _core
from schedlab.audit.explain.instant import Instant
from schedlab.audit.verdict import Departure

Explainer = Callable[[Instant], Departure | None]


def with_wrsa(explain: Explainer) -> Explainer:
    """Return an explainer that, if the order is by WRSA, adds the WRSA that put one job first."""

    def explain_with_wrsa(instant: Instant) -> Departure | None:
        found, order = explain(instant), instant.policy.core.order
        if found is None or not isinstance(order, _core.WrsaOrder):
            return found
        return _with_rival(instant, found, order)

    return explain_with_wrsa


def _with_rival(instant: Instant, found: Departure, order: _core.WrsaOrder) -> Departure:
    """Add the first job that started instead of this one, if its user's requests are less accurate.

    Nothing is added for the head, which goes first because of its age.
    """
    queue = instant.view.queue
    users = zip(queue.job.tolist(), queue.user.tolist(), strict=True)
    wrsa = {job: order.wrsa(user) for job, user in users}
    started = [job for job in wrsa if job in instant.early]
    passed = [job for job in wrsa if instant.job_id(job) == found.job_id]
    if not found.late or not started or passed == instant.queue_by_arrival[:1]:
        return found
    own, other, rival = wrsa[passed[0]], wrsa[started[0]], instant.job_id(started[0])
    if own <= other:
        return found
    sentence = f"{found.sentence}; its user's WRSA is {own:.3f}, that of job {rival}'s {other:.3f}"
    details = {**found.details, "wrsa": own, "other_job_id": rival, "other_wrsa": other}
    return replace(found, sentence=sentence, details=details)
