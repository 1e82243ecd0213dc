"""Users and groups: what they used, how long they waited, how accurate their requests are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from schedlab.history.store import JobQuery
from schedlab.history.web.pages.advice import advice_of
from schedlab.history.web.parameters import Asking, CurrentAsking
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.accuracy import Accuracy, accuracy
from schedlab.history.web.queries.stats import Names, Sums, days_between, regrouped, stats
from schedlab.history.web.render import render
from schedlab.history.web.windows import AskedMonth

router = APIRouter(include_in_schema=False)

MOST_ROWS = 200
DAYS, WEEKS = 45, 700
"""The longest times, in days, that are drawn by day and by week; longer ones are drawn by month."""
Period = Annotated[Literal["day", "week", "month"] | None, Query()]
Groups = list[tuple[Names, Sums]]


@dataclass(frozen=True)
class UserRow:
    """A user or a group with the sums of their jobs; no link if the name is a pseudonym."""

    name: str
    sums: dict[str, Any]
    is_linked: bool


@router.get("/users", name="users")
def users_page(request: Request, asking: CurrentAsking, form: AskedMonth) -> Response:
    """Show how much each user and group used, of those that the viewer sees."""
    query, keys = JobQuery(ended_from_s=form.from_s, ended_to_s=form.to_s), ["user", "group"]
    found = _found(asking, query, keys)
    return render(
        request,
        asking.viewer,
        "users.html",
        form=form,
        users=_rows(asking, regrouped(found, keys, ["user"]), "user"),
        groups=_rows(asking, regrouped(found, keys, ["group"]), "group"),
        most=MOST_ROWS,
        hides_names=asking.shown.release is not None,
    )


@router.get("/users/{user:path}", name="user")
def user_page(
    request: Request, asking: CurrentAsking, user: str, period: Period = None
) -> Response:
    """Show one user."""
    _require_shown(asking, "user")
    query = JobQuery(users=(user,))
    chosen = period or _usual_period(asking, query)
    periods = _found(asking, query, [chosen])
    total = _total(periods)
    with asking.service.database.reading() as connection:
        found = accuracy(connection, asking.viewer, user, period=chosen, zone=asking.zone)
    return render(
        request,
        asking.viewer,
        "user.html",
        name=user,
        kind="user",
        period=chosen,
        total=total,
        accuracy=found,
        advice=advice_of(asking.service, asking.viewer, user),
        members=[],
        zone=zone_of(asking.service),
        accuracy_figure=None if found is None else _accuracy_figure(found),
        **_figures(periods),
    )


@router.get("/groups/{group:path}", name="group")
def group_page(
    request: Request, asking: CurrentAsking, group: str, period: Period = None
) -> Response:
    """Show one accounting group."""
    _require_shown(asking, "group")
    query = JobQuery(groups=(group,))
    chosen = period or _usual_period(asking, query)
    keys = ["user", chosen]
    found = _found(asking, query, keys)
    return render(
        request,
        asking.viewer,
        "user.html",
        name=group,
        kind="group",
        period=chosen,
        total=_total(found),
        accuracy=None,
        advice=None,
        members=_rows(asking, regrouped(found, keys, ["user"]), "user"),
        zone=zone_of(asking.service),
        accuracy_figure=None,
        **_figures(regrouped(found, keys, [chosen])),
    )


def _usual_period(asking: Asking, query: JobQuery) -> str:
    with asking.service.database.reading() as connection:
        days = days_between(connection, asking.viewer, query)
    return "day" if days <= DAYS else "week" if days <= WEEKS else "month"


def _found(asking: Asking, query: JobQuery, keys: list[str]) -> Groups:
    with asking.service.database.reading() as connection:
        return stats(connection, asking.viewer, query, keys, zone=asking.zone)


def _rows(asking: Asking, groups: Groups, by: str) -> list[UserRow]:
    """Return the rows, most node-hours first; none if names are left out of a release."""
    shown = asking.shown
    if shown.name(by, "any") is None:
        return []
    is_linked = not shown.hides(by)
    return [
        UserRow(shown.name(by, name) or "", sums.shown(), is_linked)
        for (name,), sums in groups[:MOST_ROWS]
        if name
    ]


def _require_shown(asking: Asking, kind: str) -> None:
    """Refuse viewers who may not see names."""
    if asking.shown.hides(kind):
        raise not_found()


def _total(groups: Groups) -> dict[str, Any]:
    """Return the sums of all groups; users whose jobs the viewer does not see are not found."""
    if not groups:
        raise not_found()
    return regrouped(groups, [], [])[0][1].shown()


def _figures(periods: Groups) -> dict[str, Any]:
    from schedlab.history.web.plots.drawing import drawing
    from schedlab.history.web.plots.periods import bars_figure

    rows = [(name, sums.shown()) for (name,), sums in periods if name is not None]
    names = [name for name, _ in rows]

    def bars(key: str, unit: float, label: str, colour: int) -> Any:
        """Draw a bar for each period; return None if no bar would be seen."""
        if not any(row[key] for _, row in rows):
            return None
        values = [None if row[key] is None else row[key] / unit for _, row in rows]
        figure = bars_figure(names, values, label, colour=colour)
        return drawing(figure, {"Period": names, label: values})

    return {
        "use_figure": bars("node_hours", 1, "node-hours", 0),
        "energy_figure": bars("energy_joule", 3.6e6, "energy (kWh)", 1),
        "wait_figure": bars("mean_wait_s", 3600, "mean wait (h)", 3),
    }


def _accuracy_figure(found: Accuracy) -> Any:
    from schedlab.history.web.plots.drawing import drawing
    from schedlab.history.web.plots.periods import accuracy_figure

    names = [each.period for each in found.periods]
    mean_wra = [each.mean_wra for each in found.periods]
    wrsa = [each.wrsa for each in found.periods]
    columns: dict[str, Any] = {"Period": names, "mean WRA": mean_wra, "WRSA": wrsa}
    return drawing(accuracy_figure(names, mean_wra, wrsa), columns)
