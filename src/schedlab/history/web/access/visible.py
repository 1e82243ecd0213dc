"""Which jobs a viewer may see: decided here, and nowhere else."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Table, case, false, or_, true

from schedlab.history.store.tables import jobs
from schedlab.history.web.access.viewer import Role, Scope, Viewer

_SEES_ALL = frozenset({Role.PUBLIC, Role.SUPPORT, Role.ADMIN, Role.API})


def visible(viewer: Viewer, table: Table = jobs) -> ColumnElement[bool]:
    """Return the condition on ``jobs`` that every query of the viewer must have.

    The public sees every job too, but as it is released: without names. The table of archived jobs
    has the columns that the condition needs as well.
    """
    return or_(*visible_parts(viewer, table))


def visible_of_few(viewer: Viewer) -> ColumnElement[bool]:
    """Return ``visible`` for a query that asks for few jobs, such as those of a time window.

    SQLite then tests each of them, instead of first looking up all jobs of a manager's groups.
    """
    seen = visible(viewer)
    return seen if len(visible_parts(viewer)) == 1 else case((seen, 1), else_=0) == 1


def visible_parts(viewer: Viewer, table: Table = jobs) -> list[ColumnElement[bool]]:
    """Return ``visible`` in parts, one of which must hold: an index sorts the jobs of each."""
    if not viewer.may(Scope.READ):
        return [false()]
    if viewer.role in _SEES_ALL:
        return [true()]
    # A job whose user is unknown belongs to no account: an empty name must not match it.
    own = table.c.user_identifier == viewer.user if viewer.user else false()
    if viewer.role is Role.MANAGER:
        return [own, *(table.c.accounting_group == group for group in sorted(viewer.groups))]
    return [own]


def may_see(viewer: Viewer, user: str | None, group: str | None) -> bool:
    """Return whether a job is visible that is in a scheduler's mirror, but not in the store yet."""
    if not viewer.may(Scope.READ):
        return False
    if viewer.role in _SEES_ALL or (viewer.user and user == viewer.user):
        return True
    return viewer.role is Role.MANAGER and group in viewer.groups


def countable(viewer: Viewer) -> ColumnElement[bool]:
    """Return the condition on ``jobs`` of a query that only counts how busy a cluster was.

    That a cluster was busy is no secret of those who kept it busy. Under this condition, a query
    may read nothing else of jobs that are not visible, and nothing that tells one from another.
    """
    return true() if viewer.may(Scope.READ) else false()
