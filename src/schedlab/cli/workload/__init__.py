"""schedlab workload: get, look at, convert, shape and generate workloads."""

from __future__ import annotations

import typer

from schedlab.cli.commands import add_command, epilog
from schedlab.cli.workload import catalog, convert, fetch, generate, info, transform

app = typer.Typer(
    name="workload",
    help="Get, look at, convert, shape and generate workloads.",
    epilog=epilog((info.EXAMPLES[0], convert.EXAMPLES[0])),
    no_args_is_help=True,
)

add_command(app, info.info, *info.EXAMPLES)
add_command(app, convert.convert, *convert.EXAMPLES)
add_command(app, generate.generate, *generate.EXAMPLES)
add_command(app, transform.transform, *transform.EXAMPLES)
add_command(app, catalog.catalog, *catalog.EXAMPLES)
add_command(app, fetch.fetch, *fetch.EXAMPLES)
