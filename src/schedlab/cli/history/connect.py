"""schedlab history connect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from typer import Option

from schedlab.cli.console import print_notes
from schedlab.cli.store_place import require_service
from schedlab.errors import OutputError

EXAMPLES = ("schedlab history connect --url https://hpc.example.org/history",)


def connect(
    url: Annotated[
        str, Option(metavar="URL", help="URL at which people and Grafana reach the service.")
    ],
    output: Annotated[Path, Option("--out", metavar="FOLDER", help="Folder for the files.")] = Path(
        "connect"
    ),
) -> None:
    """Write files for other portals: dashboards for Grafana, a card for Open OnDemand.

    The dashboards use Grafana's data source "JSON"; its settings are written, too, without the
    token.
    """
    require_service()
    from schedlab.atomic import atomic_write
    from schedlab.history.notify.section import check_url

    check_url("--url", url)
    for name, text in _files(url.rstrip("/")).items():
        path = output / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path.parent}: cannot be made: {error.strerror}") from None
        with atomic_write(path) as temporary:
            temporary.write_text(text)
        print_notes([f"written: {path}"], to_stderr=False)


def _files(url: str) -> dict[str, str]:
    from schedlab.history.web.grafana.dashboards import DASHBOARDS, dashboard
    from schedlab.history.web.grafana.provisioning import data_source
    from schedlab.history.web.ondemand import PINNED, card

    boards = {
        f"grafana/{name}.json": json.dumps(dashboard(name), indent=2) + "\n" for name in DASHBOARDS
    }
    return {
        **boards,
        "grafana/datasource.yaml": data_source(url),
        "ondemand/schedlab/manifest.yml": card(url),
        "ondemand/ondemand.d/schedlab.yml": PINNED,
    }
