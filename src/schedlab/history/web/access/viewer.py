"""Viewers: who sends a request, in which role and with which scopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The role of a viewer at the site; it decides which jobs they see and what they may do."""

    PUBLIC = "public"
    """Anybody: every job, but without the names of people and machines."""
    USER = "user"
    """Own jobs."""
    MANAGER = "manager"
    """Own jobs, and those of the accounting groups that the account names."""
    SUPPORT = "support"
    """Every job."""
    ADMIN = "admin"
    """Every job, and accounts and tokens."""
    API = "api"
    """A program: every job, and what its token's scopes allow."""


class Scope(StrEnum):
    """A permission; a token can have fewer scopes than its role."""

    READ = "read"
    INGEST = "ingest"
    METRICS = "metrics"
    ADMIN = "admin"


ALL_SCOPES = frozenset(Scope)

SCOPES: Mapping[Role, frozenset[Scope]] = {
    Role.PUBLIC: frozenset({Scope.READ}),
    Role.USER: frozenset({Scope.READ}),
    Role.MANAGER: frozenset({Scope.READ}),
    Role.SUPPORT: frozenset({Scope.READ, Scope.METRICS}),
    Role.ADMIN: ALL_SCOPES,
    Role.API: frozenset({Scope.READ, Scope.INGEST, Scope.METRICS}),
}

PEOPLE = frozenset({Role.USER, Role.MANAGER, Role.SUPPORT, Role.ADMIN})
"""The roles that have accounts."""
OPERATORS = frozenset({Role.SUPPORT, Role.ADMIN})
"""The roles that keep the site running."""
PLANNERS = frozenset({Role.MANAGER, Role.SUPPORT, Role.ADMIN})
"""The roles with an overview, which may have other policies simulated."""


@dataclass(frozen=True)
class Viewer:
    """The person or program that sends a request: everything that decides what they are shown.

    Args:
        role: their role at the site.
        user: their name, as in the ``user_identifier`` of jobs; None for those who have no jobs.
        groups: the accounting groups that a manager sees.
        scopes: what the token or session may be used for, within what the role may do.
        by_token: whether a program asks with a token, and not the person.
    """

    role: Role
    user: str | None = None
    groups: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = ALL_SCOPES
    by_token: bool = False

    @property
    def is_person(self) -> bool:
        """Whether somebody asks in person: by a session, single sign-on or the proxy's word."""
        return self.user is not None and not self.by_token

    def may(self, scope: Scope) -> bool:
        """Return whether both the role and the token have this scope."""
        return scope in self.scopes and scope in SCOPES[self.role]
