"""schedlab batsim: work together with the simulator Batsim."""

from __future__ import annotations

import typer

from schedlab.cli.batsim import serve
from schedlab.cli.commands import add_command, epilog

app = typer.Typer(
    name="batsim",
    help="Decide by our policies in a running Batsim.",
    epilog=epilog(serve.EXAMPLES[:1]),
    no_args_is_help=True,
)

add_command(app, serve.serve, *serve.EXAMPLES)
