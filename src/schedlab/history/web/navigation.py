"""The pages in the navigation, and who sees them there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import Request

from schedlab.history.web.access.viewer import OPERATORS, PEOPLE, PLANNERS, Role, Scope, Viewer


@dataclass(frozen=True)
class NavigationPage:
    """An entry of the navigation.

    Args:
        label: its text.
        route: the name of the route that it leads to.
        scope: the scope that its viewers need.
        roles: the roles that see it.
        of_loop: whether it is shown only if a loop steers the site.
    """

    label: str
    route: str
    scope: Scope = Scope.READ
    roles: frozenset[Role] = frozenset(Role)
    of_loop: bool = False


PAGES: tuple[NavigationPage, ...] = (
    NavigationPage("Start", "home"),
    NavigationPage("Jobs", "jobs"),
    NavigationPage("Queue", "queue"),
    NavigationPage("Users", "users"),
    NavigationPage("Cluster", "cluster"),
    NavigationPage("Efficiency", "efficiency", roles=PEOPLE),
    NavigationPage("Reports", "reports", roles=PEOPLE),
    NavigationPage("What if", "what_if", roles=PLANNERS),
    NavigationPage("Alerts", "alerts", roles=OPERATORS),
    NavigationPage("Operate", "operate", Scope.ADMIN, of_loop=True),
    NavigationPage("Administration", "admin", Scope.ADMIN),
    NavigationPage("API", "documentation"),
)


@dataclass(frozen=True)
class NavigationEntry:
    """A page as the navigation shows it."""

    label: str
    path: str
    is_here: bool


def entries(request: Request, viewer: Viewer | None) -> Iterator[NavigationEntry]:
    """Yield the pages that the viewer may open."""
    prefix, here = request.scope.get("root_path", ""), request.scope["path"]
    has_loop = request.app.state.service.settings.loop is not None
    for page in PAGES:
        if page.of_loop and not has_loop:
            continue
        if viewer is not None and viewer.may(page.scope) and viewer.role in page.roles:
            path = f"{prefix}{request.app.url_path_for(page.route)}"
            is_below = not path.endswith("/") and here.startswith(f"{path}/")
            yield NavigationEntry(page.label, path, is_here=path == here or is_below)
