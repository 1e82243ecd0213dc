"""schedlab coalloc: jobs that need several clusters at once."""

from __future__ import annotations

from schedlab.cli.coalloc import agent, compare, generate, show, solve
from schedlab.cli.commands import add_command, new_group

app = new_group(
    "coalloc",
    "Schedule jobs that need several clusters at once.",
    generate.EXAMPLES[0],
    solve.EXAMPLES[0],
)

add_command(app, generate.generate, *generate.EXAMPLES)
add_command(app, solve.solve, *solve.EXAMPLES)
add_command(app, compare.compare, *compare.EXAMPLES)
add_command(app, show.show, *show.EXAMPLES)
add_command(app, agent.agent, *agent.EXAMPLES)
