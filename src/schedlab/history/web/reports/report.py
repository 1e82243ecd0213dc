"""The numbers of a report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from sqlalchemy import Connection

from schedlab.history.efficiency.waste import Waste, summed
from schedlab.history.site import Site
from schedlab.history.store.queries import JobQuery
from schedlab.history.web.access import Viewer
from schedlab.history.web.queries.largest import largest_jobs
from schedlab.history.web.reports.columns import Ended, ended_jobs
from schedlab.history.web.reports.help import Hint, hints
from schedlab.history.web.reports.period import Period
from schedlab.history.web.reports.use import Use, use_of

_LISTED = 10
"""The number of users and groups in the report."""


@dataclass(frozen=True)
class Subject:
    """The user, group or site that a report is about.

    Args:
        kind: ``user``, ``group`` or ``site``.
        name: the name of the user, the group or the site.
    """

    kind: str
    name: str

    @property
    def title(self) -> str:
        """Its name in headings."""
        return self.name if self.kind == "site" else f"{self.kind} {self.name}"

    @property
    def query(self) -> JobQuery:
        """The query for its jobs."""
        if self.kind == "site":
            return JobQuery()
        names = (self.name,)
        return JobQuery(users=names) if self.kind == "user" else JobQuery(groups=names)


@dataclass(frozen=True)
class PeriodReport:
    """A report on the jobs that ended in a period.

    Args:
        subject: the subject whose jobs they are.
        period: the period in which they ended.
        use: their use.
        before: the use in the period before, or in as much of it as has passed of this one.
        waste: what the largest of them held and did not use.
        days: node-hours by day.
        users: use by user, for a group or the site; those with most node-hours.
        groups: use by group, for the site; those with most node-hours.
        hints: what would help.
        currency: the currency of costs.
    """

    subject: Subject
    period: Period
    use: Use
    before: Use
    waste: Waste
    days: Sequence[tuple[str, float]]
    users: Sequence[tuple[str, Use]]
    groups: Sequence[tuple[str, Use]]
    hints: Sequence[Hint]
    currency: str | None

    @property
    def title(self) -> str:
        """What it is about, in one line."""
        return f"Report on {self.subject.title}, {self.period.label}"

    @property
    def is_over(self) -> bool:
        """Whether nothing more can end in its period."""
        return self.period.to_s <= time.time()

    @property
    def file_name(self) -> str:
        """The name of its file, without an ending; no character in it can lead out of a folder."""
        named = self.subject.kind if self.subject.kind == "site" else self.subject.title
        safe = "".join(each if each.isalnum() or each in "._" else "-" for each in named)
        return f"report-{safe}-{self.period.key}"

    def facts(self) -> dict[str, Any]:
        """Return the numbers of the report, in types that JSON has."""
        period = self.period
        return {
            "subject": asdict(self.subject),
            "period": {"kind": period.kind, "key": period.key, "label": period.label},
            "from_s": period.from_s,
            "to_s": period.to_s,
            "currency": self.currency,
            "use": asdict(self.use),
            "before": asdict(self.before),
            "efficiency": asdict(self.waste),
            "days": [{"day": day, "node_hours": hours} for day, hours in self.days],
            "users": [{"user": name, **asdict(use)} for name, use in self.users],
            "groups": [{"group": name, **asdict(use)} for name, use in self.groups],
            "what_would_help": [asdict(each) for each in self.hints],
        }


def report_query(report: PeriodReport, period: Period) -> str:
    """Return the query of a URL that asks for the report of that period on the same subject."""
    subject = report.subject
    named = {} if subject.kind == "site" else {subject.kind: subject.name}
    return urlencode({"period": period.kind, "date": str(period.first), **named})


def make_report(
    connection: Connection,
    viewer: Viewer,
    site: Site | None,
    subject: Subject,
    period: Period,
) -> PeriodReport:
    """Return the report on those of the subject's jobs that the viewer sees."""
    ended = ended_jobs(connection, viewer, subject.query, site, period, period.to_s)
    # To compare three days of a week with all seven of the last would look like good or bad news.
    passed_s = time.time() - period.from_s
    is_over = time.time() >= period.to_s
    until_s = period.before.to_s if is_over else period.before.from_s + max(0.0, passed_s)
    earlier = ended_jobs(connection, viewer, subject.query, site, period.before, until_s)
    times = (period.from_s, period.to_s)
    largest = largest_jobs(connection, viewer, site, *times, query=subject.query)
    use = use_of(ended)
    return PeriodReport(
        subject,
        period,
        use,
        use_of(earlier),
        summed(largest),
        _by_day(ended, period),
        [] if subject.kind == "user" else _by(ended, ended.user),
        _by(ended, ended.group) if subject.kind == "site" else [],
        list(hints(use, largest, site)),
        _currency(site, period),
    )


def _currency(site: Site | None, period: Period) -> str | None:
    cost = None if site is None else site.service.cost
    return None if cost is None else str(cost(period.to_s - 1).currency)


def _by_day(ended: Ended, period: Period) -> list[tuple[str, float]]:
    begins = [begin_s for _, begin_s in period.days]
    sums = ended.node_hours_between([*begins, period.to_s])
    days = [(day, hours) for (day, _), hours in zip(period.days, sums, strict=True)]
    now_s = time.time()
    return [row for row, begin_s in zip(days, begins, strict=True) if begin_s <= now_s] or days[:1]


def _by(ended: Ended, names: Sequence[str | None]) -> list[tuple[str, Use]]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name:
            places.setdefault(name, []).append(place)
    node_s = {name: float(np.nansum(ended.node_s[some])) for name, some in places.items()}
    largest = sorted(places, key=lambda name: (-node_s[name], name))[:_LISTED]
    return [(name, use_of(ended.taken(places[name]))) for name in largest]
