"""schedlab history: job histories, from whatever a site already runs."""

from __future__ import annotations

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.history import (
    alerts,
    archive,
    connect,
    doctor,
    export,
    ingest,
    init,
    mirror,
    query,
    report,
    show,
    status,
    token,
    user,
    validate,
)

app = new_group(
    "history",
    "Collect one record per job, with its sensors, from what the site already runs.",
    init.EXAMPLES[0],
    ingest.EXAMPLES[0],
)

add_command(app, init.init, *init.EXAMPLES)
add_command(app, doctor.doctor, *doctor.EXAMPLES)
add_command(app, ingest.ingest, *ingest.EXAMPLES)
add_command(app, mirror.mirror, *mirror.EXAMPLES)
add_command(app, status.status, *status.EXAMPLES)
add_command(app, alerts.alerts, *alerts.EXAMPLES)
add_command(app, report.report, *report.EXAMPLES)
add_command(app, connect.connect, *connect.EXAMPLES)
add_command(app, show.show, *show.EXAMPLES)
add_command(app, export.export, *export.EXAMPLES)
add_command(app, archive.archive, *archive.EXAMPLES)
add_command(app, query.query, *query.EXAMPLES)
add_command(app, validate.validate, *validate.EXAMPLES)
app.add_typer(user.app)
app.add_typer(token.app)
