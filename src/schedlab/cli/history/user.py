"""schedlab history user: accounts that may log in to the service."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.history.accounts import FromStdin, access, read_password
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.history.web.access.viewer import Role

app = new_group(
    "user",
    "Manage accounts of the service: login, role and groups.",
    "schedlab history user add ann --role manager --group physics",
)

Name = Annotated[str, Argument(metavar="NAME", help="User name as in the jobs.")]
Groups = Annotated[
    list[str] | None,
    Option("--group", metavar="GROUP", help="An accounting group that a manager sees; repeatable."),
]


def add(
    place: StoreLocation,
    name: Name,
    role: Annotated[str, Option(metavar="ROLE", help="user, manager, support or admin.")] = "user",
    groups: Groups = None,
    single_sign_on: Annotated[
        bool,
        Option("--single-sign-on", help="Log in at the provider, without a password."),
    ] = False,
    password_stdin: FromStdin = False,
) -> None:
    """Create an account; prompts for its password."""
    with access(place) as connection:
        from schedlab.history.web.access.accounts import Account, Origin, find_account, put_account

        if find_account(connection, name) is not None:
            raise ParameterError(f'there is an account "{name}"; see schedlab history user change')
        origin = Origin.OIDC if single_sign_on else Origin.LOCAL
        account = Account(name, _role(role), frozenset(groups or ()), origin)
        put_account(connection, account, None if single_sign_on else read_password(password_stdin))
    print_notes([f"{name}: may log in, as {role}"], to_stderr=False)


def change(
    place: StoreLocation,
    name: Name,
    role: Annotated[
        str | None, Option(metavar="ROLE", help="user, manager, support or admin.")
    ] = None,
    groups: Groups = None,
    enabled: Annotated[
        bool | None, Option("--enable/--disable", help="Allow or block login.")
    ] = None,
) -> None:
    """Change an account; named groups replace its groups."""
    with access(place) as connection:
        from schedlab.history.web.access.accounts import put_account, require_account
        from schedlab.history.web.access.viewer import Role

        old = require_account(connection, name)
        new_role = old.role if role is None else _role(role)
        kept = old.groups if new_role is Role.MANAGER else frozenset[str]()
        account = replace(
            old,
            role=new_role,
            groups=kept if groups is None else frozenset(groups),
            enabled=old.enabled if enabled is None else enabled,
        )
        put_account(connection, account)
    print_notes([f"{name}: changed"], to_stderr=False)


def password(place: StoreLocation, name: Name, password_stdin: FromStdin = False) -> None:
    """Give an account a new password; prompts for it and ends its sessions."""
    with access(place) as connection:
        from schedlab.history.web.access.accounts import put_account, require_account

        account = require_account(connection, name)
        put_account(connection, account, read_password(password_stdin))
    print_notes([f"{name}: has a new password"], to_stderr=False)


def remove(place: StoreLocation, name: Name) -> None:
    """Remove an account with its sessions and tokens; its jobs stay."""
    with access(place) as connection:
        from schedlab.history.web.access.accounts import remove_account

        remove_account(connection, name)
    print_notes([f"{name}: removed"], to_stderr=False)


def list(place: StoreLocation, json: AsJson = False) -> None:
    """List the accounts."""
    with access(place) as connection:
        from schedlab.history.web.access.accounts import list_accounts

        found = list_accounts(connection)
    if json:
        print_json([{**asdict(each), "groups": sorted(each.groups)} for each in found])
        return
    table = new_table("account", "role", "groups", "logs in", text_columns=4)
    for each in found:
        way = each.origin if each.has_password or each.origin != "local" else "by token"
        way = "password" if each.has_password else way
        groups = ", ".join(sorted(each.groups))
        table.add_row(each.name, each.role, groups, way if each.enabled else "disabled")
    out().print(table)


def _role(given: str) -> Role:
    from schedlab.errors import UnknownNameError
    from schedlab.history.web.access.accounts import ACCOUNT_ROLES
    from schedlab.history.web.access.viewer import Role

    if given not in ACCOUNT_ROLES:
        raise UnknownNameError("role of an account", given, ACCOUNT_ROLES)
    return Role(given)


add_command(
    app,
    add,
    "schedlab history user add ann",
    "schedlab history user add ben --role manager --group physics --group optics",
    "schedlab history user add eve --single-sign-on",
)
add_command(app, change, "schedlab history user change ann --role support")
add_command(app, password, "schedlab history user password ann")
add_command(app, remove, "schedlab history user remove ann")
add_command(app, list, "schedlab history user list", "schedlab history user list --json")
