"""schedlab history demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.store_place import require_history

EXAMPLES = ("schedlab history demo", "schedlab history demo --seed 7 --out trial")


def demo(
    folder: Annotated[Path, Option("--out", metavar="DIR", help="Folder for the site.")] = Path(
        "out/history-demo"
    ),
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of the site.")] = 1,
    json: AsJson = False,
) -> None:
    """Make a miniature site, ingest its jobs, and show the record of one job."""
    require_history()
    from schedlab.history.demo import store_demo
    from schedlab.history.store import Store

    site = store_demo(folder, seed=seed)
    with Store.open(site.store.located(folder)) as store:
        found = list(store.jobs())
    smallest = min(found, key=lambda each: (each.resource_req.num_host, each.jobid))
    record = smallest.model_dump(mode="json", exclude_none=True)
    if not json:
        title = f"job {smallest.jobid}, one of {len(found)} of a site of 8 nodes with 2 GPUs each"
        out().print(heading(title), "", sep="\n")
    print_json(record)
    notes = [
        f"site: {site.path}; store: {folder / site.store.url}",
        f"try: schedlab history show --site {site.path}",
    ]
    print_notes(notes, to_stderr=json)
