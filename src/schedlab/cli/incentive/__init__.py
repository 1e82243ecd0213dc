"""schedlab incentive: what policies give users for accurate requests."""

from __future__ import annotations

import typer

from schedlab.cli.commands import add_command, epilog
from schedlab.cli.incentive import honesty, users

app = typer.Typer(
    name="incentive",
    help="Whether policies treat users better whose requests are accurate.",
    epilog=epilog(users.EXAMPLES[:1]),
    no_args_is_help=True,
)

add_command(app, users.users, *users.EXAMPLES)
add_command(app, honesty.honesty, *honesty.EXAMPLES)
