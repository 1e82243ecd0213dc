"""schedlab batsim: work together with the simulator Batsim."""

from __future__ import annotations

from schedlab.cli.batsim import serve
from schedlab.cli.commands import add_command, new_group

app = new_group(
    "batsim",
    "Decide by our policies in a running Batsim.",
    *serve.EXAMPLES[:1],
)

add_command(app, serve.serve, *serve.EXAMPLES)
