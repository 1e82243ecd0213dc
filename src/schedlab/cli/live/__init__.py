"""schedlab live: a running scheduler, mirrored, advised and steered."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.live import advise, mirror, rehearse, score, steer, stop, trial

app = new_group(
    "live",
    "Follow a running scheduler: forecasts, advice, and priorities changed within bounds.",
    *mirror.EXAMPLES[:1],
    *advise.EXAMPLES[:1],
    *steer.SHADOW_EXAMPLES[:1],
    *score.EXAMPLES[:1],
    *steer.EXAMPLES[:1],
    *stop.EXAMPLES[:1],
)

add_command(app, mirror.mirror, *mirror.EXAMPLES)
add_command(app, advise.advise, *advise.EXAMPLES)
add_command(app, steer.shadow, *steer.SHADOW_EXAMPLES)
add_command(app, score.score, *score.EXAMPLES)
add_command(app, steer.steer, *steer.EXAMPLES)
add_command(app, stop.stop, *stop.EXAMPLES)
add_command(app, rehearse.rehearse, *rehearse.EXAMPLES)
add_command(app, trial.trial, *trial.EXAMPLES)
