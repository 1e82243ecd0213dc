"""The form in which viewers choose a cluster and a time window."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query
from sqlalchemy import Connection

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.schema.times import parse_moment
from schedlab.history.store import JobQuery
from schedlab.history.web.access import Viewer
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.calendar import DAY_S
from schedlab.history.web.queries.cluster_use import first_queue_s, last_end_s
from schedlab.history.web.queries.search import clusters_of_site, count
from schedlab.history.web.queries.unfinished import heard_s
from schedlab.history.web.service import CurrentService, Service

HOUR_S, _STEP_S = 3_600, 300
_TELLING = 30
"""The number of jobs that a window should have at least, for a picture that shows something."""


@dataclass(frozen=True)
class WindowForm:
    """A filled-in form.

    Args:
        clusters: the clusters to choose from.
        cluster: the chosen one; empty if there is none.
        from_s: the beginning, in epoch seconds.
        to_s: the end.
        zone: the zone in which times are shown.
    """

    clusters: list[str]
    cluster: str
    from_s: int
    to_s: int
    zone: tzinfo

    def __post_init__(self) -> None:
        if self.from_s >= self.to_s:
            raise ParameterError("from: must lie before to")

    def field(self, epoch_s: float) -> str:
        """Return a moment in the format of a browser's field for times."""
        return f"{datetime.fromtimestamp(epoch_s, self.zone):%Y-%m-%dT%H:%M}"

    @property
    def shift_s(self) -> int:
        """The zone's offset from UTC at the beginning, for axes that know only UTC."""
        offset = datetime.fromtimestamp(self.from_s, self.zone).utcoffset()
        return 0 if offset is None else int(offset.total_seconds())

    def links(self) -> Iterator[tuple[str, str]]:
        """Yield links to other times: a label, and the query of a URL."""
        length_s = self.to_s - self.from_s
        yield "earlier", self._query(self.from_s - length_s, self.from_s)
        yield "later", self._query(self.to_s, self.to_s + length_s)
        for label, days in (("day", 1), ("week", 7), ("month", 30)):
            yield label, self._query(self.to_s - days * DAY_S, self.to_s)

    def _query(self, from_s: int, to_s: int) -> str:
        times = {"from": self.field(from_s), "to": self.field(to_s)}
        return urlencode({"cluster": self.cluster, **times})


def window_form(
    service: Service,
    viewer: Viewer,
    *,
    cluster: str = "",
    begin: str = "",
    end: str = "",
    days: int | None = None,
    until_now: bool = False,
) -> WindowForm:
    """Return the chosen window, or the last days up to the last job that the viewer sees.

    With ``until_now``, it ends at the last news from the scheduler, if jobs run or wait.

    Without a number of days, it is long enough for a picture with something in it.
    """
    zone, clusters = zone_of(service), clusters_of(service, viewer)
    with service.database.reading() as connection:
        if cluster and cluster not in clusters:
            raise UnknownNameError("cluster", cluster, clusters)
        chosen = cluster or next(iter(clusters), "")
        heard = heard_s(connection, chosen) if until_now and not end else None
        if heard is None:
            to_s = _end_s(end, zone, last_end_s(connection, viewer, chosen))
        else:
            to_s = -(-heard // _STEP_S) * _STEP_S
        if begin:
            from_s = _epoch_s(begin, zone)
        elif days is not None:
            from_s = to_s - days * DAY_S
        else:
            from_s = _telling_begin_s(connection, viewer, chosen, to_s)
    return WindowForm(clusters, chosen, from_s, to_s, zone)


def _telling_begin_s(connection: Connection, viewer: Viewer, cluster: str, to_s: int) -> int:
    """Return the time a day, a week or a month earlier, but not before the first job."""
    for days in (1, 7, 30):
        from_s = to_s - days * DAY_S
        query = JobQuery(clusters=(cluster,), queued_from_s=from_s, queued_to_s=to_s)
        if count(connection, viewer, query, _TELLING).jobs >= _TELLING:
            break
    first_s = first_queue_s(connection, viewer, cluster, from_s)
    return from_s if first_s is None or first_s >= to_s else first_s // HOUR_S * HOUR_S


def _asked_window(
    service: CurrentService,
    viewer: CurrentViewer,
    cluster: str = "",
    begin: Annotated[str, Query(alias="from")] = "",
    end: Annotated[str, Query(alias="to")] = "",
) -> WindowForm:
    return window_form(service, viewer, cluster=cluster, begin=begin, end=end, until_now=True)


def _asked_month(
    service: CurrentService,
    viewer: CurrentViewer,
    begin: Annotated[str, Query(alias="from")] = "",
    end: Annotated[str, Query(alias="to")] = "",
) -> WindowForm:
    zone = zone_of(service)
    with service.database.reading() as connection:
        to_s = _end_s(end, zone, last_end_s(connection, viewer))
    from_s = _epoch_s(begin, zone) if begin else to_s - 30 * DAY_S
    return WindowForm([], "", from_s, to_s, zone)


AskedWindow = Annotated[WindowForm, Depends(_asked_window)]
"""The window that the request asks for; by default a day, a week or a month."""
AskedMonth = Annotated[WindowForm, Depends(_asked_month)]
"""The window that the request asks for, on all clusters; by default a month."""


def clusters_of(service: Service, viewer: Viewer) -> list[str]:
    """Return the clusters of the site; without a site file, those on which jobs ran."""
    with service.database.reading() as connection:
        return clusters_of_site(connection, viewer, service.settings.site)


def _end_s(text: str, zone: tzinfo, last_s: int | None) -> int:
    """Return the chosen end, or the full hour after the last job; after now if there is none."""
    return _epoch_s(text, zone) if text else -(-(last_s or int(time.time())) // HOUR_S) * HOUR_S


def _epoch_s(text: str, zone: tzinfo) -> int:
    """Return the moment; a text without a zone, such as a browser's, is in the site's zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = parse_moment(text)  # which knows more forms, or says what is wrong
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    if not 1970 < moment.year < 3000:
        raise ParameterError(f'"{text}" lies too far from now')
    return int(moment.timestamp())
