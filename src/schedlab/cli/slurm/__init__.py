"""schedlab slurm: a twin of your Slurm."""

from __future__ import annotations

import typer

from schedlab.cli.commands import add_command, epilog
from schedlab.cli.slurm import import_dump, script

app = typer.Typer(
    name="slurm",
    help="A twin of your Slurm: from its configuration and history to a site folder.",
    epilog=epilog((*script.EXAMPLES[:1], *import_dump.EXAMPLES[:1])),
    no_args_is_help=True,
)

add_command(app, script.script, *script.EXAMPLES)
add_command(app, import_dump.import_dump, *import_dump.EXAMPLES, name="import")
