"""Users and groups: what they used, how long they waited, how well they ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from schedlab.history.store import JobQuery
from schedlab.history.web.api.parameters import Asking, CurrentAsking
from schedlab.history.web.pages.advice import advice_of
from schedlab.history.web.pages.quantities import zone_of
from schedlab.history.web.pages.render import render
from schedlab.history.web.pages.windows import AskedMonth
from schedlab.history.web.problems import not_found
from schedlab.history.web.queries.accuracy import Accuracy, accuracy
from schedlab.history.web.queries.stats import Sums, stats

router = APIRouter(include_in_schema=False)

MOST_ROWS = 200
Period = Annotated[Literal["day", "week", "month"], Query()]


@dataclass(frozen=True)
class Row:
    """A user or a group, and what their jobs come to; no link where the name is a pseudonym."""

    name: str
    sums: dict[str, Any]
    is_linked: bool


@router.get("/users", name="users")
def users_page(request: Request, asking: CurrentAsking, form: AskedMonth) -> Response:
    """Who used how much, of those whom the viewer sees."""
    query = JobQuery(ended_from_s=form.from_s, ended_to_s=form.to_s)
    return render(
        request,
        asking.viewer,
        "users.html",
        form=form,
        users=_rows(asking, query, "user"),
        groups=_rows(asking, query, "group"),
        most=MOST_ROWS,
        hides_names=asking.shown.release is not None,
    )


@router.get("/users/{user:path}", name="user")
def user_page(
    request: Request, asking: CurrentAsking, user: str, period: Period = "week"
) -> Response:
    """One user."""
    query = JobQuery(users=(user,))
    with asking.service.database.reading() as connection:
        _require_seen(asking, query, "user")
        found = accuracy(connection, asking.viewer, user, period=period, zone=asking.zone)
    return render(
        request,
        asking.viewer,
        "user.html",
        name=user,
        kind="user",
        period=period,
        total=_total(asking, query),
        accuracy=found,
        advice=advice_of(asking.service, asking.viewer, user),
        members=[],
        zone=zone_of(asking.service),
        accuracy_figure=None if found is None else _accuracy_figure(found),
        **_figures(asking, query, period),
    )


@router.get("/groups/{group:path}", name="group")
def group_page(
    request: Request, asking: CurrentAsking, group: str, period: Period = "week"
) -> Response:
    """One accounting group."""
    query = JobQuery(groups=(group,))
    _require_seen(asking, query, "group")
    return render(
        request,
        asking.viewer,
        "user.html",
        name=group,
        kind="group",
        period=period,
        total=_total(asking, query),
        accuracy=None,
        advice=None,
        members=_rows(asking, query, "user"),
        zone=zone_of(asking.service),
        accuracy_figure=None,
        **_figures(asking, query, period),
    )


def _rows(asking: Asking, query: JobQuery, by: str) -> list[Row]:
    """Those of most node-hours first; nobody where their names are left out of a release."""
    shown = asking.shown
    if shown.name(by, "any") is None:
        return []
    with asking.service.database.reading() as connection:
        found = stats(connection, asking.viewer, query, [by])
    is_linked = not shown.hides(by)
    return [
        Row(shown.name(by, name) or "", sums.shown(), is_linked)
        for (name,), sums in found[:MOST_ROWS]
        if name
    ]


def _require_seen(asking: Asking, query: JobQuery, kind: str) -> None:
    """Whose jobs the viewer does not see, or sees without names, is nobody."""
    if asking.shown.hides(kind) or not _total(asking, query)["jobs"]:
        raise not_found()


def _total(asking: Asking, query: JobQuery) -> dict[str, Any]:
    with asking.service.database.reading() as connection:
        found = stats(connection, asking.viewer, query, [])
    return (found[0][1] if found else Sums()).shown()


def _figures(asking: Asking, query: JobQuery, period: str) -> dict[str, Any]:
    from schedlab.history.web.plots.embed import figure_data
    from schedlab.history.web.plots.periods import bars_figure

    with asking.service.database.reading() as connection:
        found = stats(connection, asking.viewer, query, [period], zone=asking.zone)
    rows = [(name, sums.shown()) for (name,), sums in found if name is not None]
    names = [name for name, _ in rows]

    def bars(key: str, unit: float, label: str, colour: int) -> Any:
        values = [None if row[key] is None else row[key] / unit for _, row in rows]
        return figure_data(bars_figure(names, values, label, colour=colour))

    has_energy = any(row["energy_joule"] is not None for _, row in rows)
    return {
        "use_figure": bars("node_hours", 1, "node-hours", 0) if rows else None,
        "energy_figure": bars("energy_joule", 3.6e6, "energy (kWh)", 1) if has_energy else None,
        "wait_figure": bars("mean_wait_s", 3600, "mean wait (h)", 3) if rows else None,
    }


def _accuracy_figure(found: Accuracy) -> Any:
    from schedlab.history.web.plots.embed import figure_data
    from schedlab.history.web.plots.periods import accuracy_figure

    periods = found.periods
    return figure_data(
        accuracy_figure(
            [each.period for each in periods],
            [each.mean_wra for each in periods],
            [each.wrsa for each in periods],
        )
    )
