"""schedlab workload: get, look at, convert, shape and generate workloads."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.workload import catalog, convert, fetch, generate, info, transform

app = new_group(
    "workload",
    "Get, look at, convert, shape and generate workloads.",
    info.EXAMPLES[0],
    convert.EXAMPLES[0],
)

add_command(app, info.info, *info.EXAMPLES)
add_command(app, convert.convert, *convert.EXAMPLES)
add_command(app, generate.generate, *generate.EXAMPLES)
add_command(app, transform.transform, *transform.EXAMPLES)
add_command(app, catalog.catalog, *catalog.EXAMPLES)
add_command(app, fetch.fetch, *fetch.EXAMPLES)
