"""schedlab history token: tokens, which programs show to the service in place of a password."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.console import AsJson, cell, new_table, out, print_json, print_notes
from schedlab.cli.history.accounts import access, day
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import UnknownNameError

if TYPE_CHECKING:
    from schedlab.history.web.access.viewer import Scope

app = new_group(
    "token",
    "Manage tokens: programs log in with them instead of a password.",
    'schedlab history token add "scheduler hook" --scope ingest',
)

Scopes = Annotated[
    list[str] | None,
    Option("--scope", metavar="SCOPE", help="read, ingest, metrics or admin; repeatable."),
]


def add(
    place: StoreLocation,
    name: Annotated[str, Argument(metavar="NAME", help="Purpose of the token.")],
    user: Annotated[
        str | None,
        Option(metavar="NAME", help="Account of the token. Default: none, and it sees all jobs."),
    ] = None,
    scopes: Scopes = None,
    days: Annotated[
        float | None,
        Option(metavar="N", max=36_500, help="Days until it expires; 0: never."),
    ] = 90,
) -> None:
    """Create a token and print it once: the store keeps only a digest."""
    with access(place) as connection:
        from schedlab.history.web.access.tokens import add_token

        secret = add_token(
            connection,
            name,
            account=user,
            scopes=[_scope(each) for each in scopes or ("read",)],
            days=days or None,
        )
    typer.echo(secret)


def revoke(
    place: StoreLocation,
    token: Annotated[str, Argument(metavar="ID", help="Id of the token, as in the list.")],
) -> None:
    """Revoke a token."""
    with access(place) as connection:
        from schedlab.history.web.access.tokens import revoke_token

        revoke_token(connection, token)
    print_notes([f"{token}: withdrawn"], to_stderr=False)


def list(place: StoreLocation, json: AsJson = False) -> None:
    """List the tokens, without their secrets."""
    with access(place) as connection:
        from schedlab.history.web.access.tokens import list_tokens

        found = list_tokens(connection)
    if json:
        print_json([{**asdict(each), "scopes": sorted(each.scopes)} for each in found])
        return
    table = new_table("token", "name", "user", "scopes", "expires", "last used", text_columns=6)
    for each in found:
        table.add_row(
            each.id,
            each.name,
            each.account or "–",
            ", ".join(sorted(each.scopes)),
            cell(each.expires_s, day),
            cell(each.used_s, day),
        )
    out().print(table)


def _scope(given: str) -> Scope:
    from schedlab.history.web.access.viewer import Scope

    if given not in tuple(Scope):
        raise UnknownNameError("scope", given, tuple(Scope))
    return Scope(given)


add_command(
    app,
    add,
    'schedlab history token add "scheduler hook" --scope ingest',
    "schedlab history token add notebook --user ann --days 30",
)
add_command(app, revoke, "schedlab history token revoke 1f0c9a3e")
add_command(app, list, "schedlab history token list")
