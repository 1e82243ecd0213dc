"""schedlab coalloc: jobs that need several clusters at once."""

from __future__ import annotations

import typer

from schedlab.cli.coalloc import agent, compare, generate, show, solve
from schedlab.cli.commands import add_command, epilog

app = typer.Typer(
    name="coalloc",
    help="Schedule jobs that need several clusters at once.",
    epilog=epilog((generate.EXAMPLES[0], solve.EXAMPLES[0])),
    no_args_is_help=True,
)

add_command(app, generate.generate, *generate.EXAMPLES)
add_command(app, solve.solve, *solve.EXAMPLES)
add_command(app, compare.compare, *compare.EXAMPLES)
add_command(app, show.show, *show.EXAMPLES)
add_command(app, agent.agent, *agent.EXAMPLES)
