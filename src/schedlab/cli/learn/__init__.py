"""schedlab learn: policies from training or evolution, tuned, explained and exported."""

from __future__ import annotations

import typer

from schedlab.cli.commands import add_command, epilog
from schedlab.cli.learn import evolve, explain, export, train, tune

app = typer.Typer(
    name="learn",
    help="Learn a policy by training or evolution; tune, explain and export it.",
    epilog=epilog((train.EXAMPLES[0], evolve.EXAMPLES[0])),
    no_args_is_help=True,
)

add_command(app, train.train, *train.EXAMPLES)
add_command(app, tune.tune, *tune.EXAMPLES)
add_command(app, evolve.evolve, *evolve.EXAMPLES)
add_command(app, explain.explain, *explain.EXAMPLES)
add_command(app, export.export, *export.EXAMPLES)
