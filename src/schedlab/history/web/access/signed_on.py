"""Accounts of users who log in with a provider, from its claims about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from schedlab.errors import PeerError
from schedlab.history.service_section import OidcSection
from schedlab.history.web.access.accounts import Account, Origin, find_account, put_account
from schedlab.history.web.access.viewer import Role
from schedlab.history.web.problems import HttpProblem


def account_of(section: OidcSection, claims: Mapping[str, Any]) -> Account:
    """Return the account that the claims describe, with the role that their groups give."""
    name = claims.get(section.user_claim)
    if not isinstance(name, str) or not name:
        raise PeerError(f"{section.issuer}: its ID token has no {section.user_claim}")
    listed = claims.get(section.groups_claim, ())
    groups = frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()
    prefix = section.manager_prefix
    managed = frozenset(
        group.removeprefix(prefix) for group in groups if prefix and group.startswith(prefix)
    )
    if groups & set(section.admin_groups):
        return Account(name, Role.ADMIN, origin=Origin.OIDC)
    if groups & set(section.support_groups):
        return Account(name, Role.SUPPORT, origin=Origin.OIDC)
    if managed:
        return Account(name, Role.MANAGER, managed, Origin.OIDC)
    return Account(name, Role.USER, origin=Origin.OIDC)


def sign_on(connection: Connection, section: OidcSection, claims: Mapping[str, Any]) -> Account:
    """Put the account that the claims describe into the store, if its owner may log in.

    If the settings let no group give a role, an account that exists already keeps its role.
    """
    account = account_of(section, claims)
    known = find_account(connection, account.name)
    if known is not None and (known.origin is not Origin.OIDC or not known.enabled):
        raise HttpProblem(403, "you may not log in this way; ask the administrators of the site")
    if known is not None and not _gives_roles(section):
        account = replace(account, role=known.role, groups=known.groups)
    put_account(connection, account)
    return account


def _gives_roles(section: OidcSection) -> bool:
    return bool(section.admin_groups or section.support_groups or section.manager_prefix)
