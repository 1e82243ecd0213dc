"""Which jobs somebody sees: decided here, and nowhere else."""

from __future__ import annotations

from sqlalchemy import ColumnElement, false, or_, true

from schedlab.history.store.tables import jobs
from schedlab.history.web.access.viewer import Role, Scope, Viewer

_SEES_ALL = frozenset({Role.PUBLIC, Role.SUPPORT, Role.ADMIN, Role.API})


def visible(viewer: Viewer) -> ColumnElement[bool]:
    """The condition on ``jobs`` that every query of the viewer's must have.

    The public sees every job too, but as it is released: without names.
    """
    return or_(*visible_parts(viewer))


def visible_parts(viewer: Viewer) -> list[ColumnElement[bool]]:
    """The same in parts, one of which must hold: each has an index in which its jobs are sorted."""
    if not viewer.may(Scope.READ):
        return [false()]
    if viewer.role in _SEES_ALL:
        return [true()]
    # A job whose user is unknown is nobody's: an empty name must not match it.
    own = jobs.c.user_identifier == viewer.user if viewer.user else false()
    if viewer.role is Role.MANAGER:
        return [own, *(jobs.c.accounting_group == group for group in sorted(viewer.groups))]
    return [own]


def countable(viewer: Viewer) -> ColumnElement[bool]:
    """The condition on ``jobs`` of a query that only counts: how busy a cluster was.

    That a cluster was busy is no secret of those who kept it busy; nothing else of a job that is
    not visible may be read under this condition, and nothing that tells one from another.
    """
    return true() if viewer.may(Scope.READ) else false()
