"""schedlab slurm: a twin of your Slurm."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.slurm import fidelity, forecast, import_dump, replay, script, tune, what_if

app = new_group(
    "slurm",
    "A twin of your Slurm: replay its history, and ask what another configuration would do.",
    *script.EXAMPLES[:1],
    *import_dump.EXAMPLES[:1],
    *fidelity.EXAMPLES[:1],
    *what_if.EXAMPLES[:1],
    *tune.EXAMPLES[:1],
)

add_command(app, script.script, *script.EXAMPLES)
add_command(app, import_dump.import_dump, *import_dump.EXAMPLES, name="import")
add_command(app, fidelity.fidelity, *fidelity.EXAMPLES)
add_command(app, what_if.what_if, *what_if.EXAMPLES, name="what-if")
add_command(app, tune.tune, *tune.EXAMPLES)
add_command(app, forecast.forecast, *forecast.EXAMPLES)
add_command(app, replay.replay, *replay.EXAMPLES)
