"""schedlab history demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.history.place import require_history
from schedlab.errors import OutputError

EXAMPLES = ("schedlab history demo", "schedlab history demo --seed 7 --out trial")


def demo(
    folder: Annotated[Path, Option("--out", metavar="DIR", help="Where the site goes.")] = Path(
        "out/history-demo"
    ),
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of the site.")] = 1,
    json: AsJson = False,
) -> None:
    """Make a miniature site without a server, ingest it, and show the record of one job."""
    require_history()
    from schedlab.history import pipeline
    from schedlab.history.demo import make_demo
    from schedlab.history.site import read_site
    from schedlab.history.sources import job_sources
    from schedlab.history.store import Store

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    site = read_site(make_demo(folder, seed=seed))
    with Store.make(site.store.located(folder)) as store:
        jobs = sum(pipeline.ingest(store, each, site=site).jobs for each in job_sources(site))
        pipeline.measure_due(store, site)
        smallest = min(store.jobs(), key=lambda each: (each.resource_req.num_host, each.jobid))
    record = smallest.model_dump(mode="json", exclude_none=True)
    if not json:
        title = f"job {smallest.jobid}, one of {jobs} of a site of 8 nodes with 2 GPUs each"
        out().print(heading(title), "", sep="\n")
    print_json(record)
    notes = [
        f"site: {site.path}; store: {folder / site.store.url}",
        f"try: schedlab history show --site {site.path}",
    ]
    print_notes(notes, to_stderr=json)
