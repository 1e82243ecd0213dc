"""schedlab incentive: what policies give users for accurate requests."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.incentive import honesty, users

app = new_group(
    "incentive",
    "Measure whether policies treat users better whose requests are accurate.",
    *users.EXAMPLES[:1],
)

add_command(app, users.users, *users.EXAMPLES)
add_command(app, honesty.honesty, *honesty.EXAMPLES)
