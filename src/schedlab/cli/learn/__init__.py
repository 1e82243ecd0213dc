"""schedlab learn: policies from training or evolution, tuned, explained and exported."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.learn import evolve, explain, export, train, tune

app = new_group(
    "learn",
    "Learn a policy by training or evolution; tune, explain and export it.",
    train.EXAMPLES[0],
    evolve.EXAMPLES[0],
)

add_command(app, train.train, *train.EXAMPLES)
add_command(app, tune.tune, *tune.EXAMPLES)
add_command(app, evolve.evolve, *evolve.EXAMPLES)
add_command(app, explain.explain, *explain.EXAMPLES)
add_command(app, export.export, *export.EXAMPLES)
