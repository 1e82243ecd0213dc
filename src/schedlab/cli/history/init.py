"""schedlab history init."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from schedlab.cli.console import print_notes
from schedlab.cli.store_place import StoreLocation, require_history

EXAMPLES = (
    "schedlab history init",
    "schedlab history init --site tsubame.toml --new-key",
    "schedlab history init --store postgresql://me@db.example/history",
)


def init(
    place: StoreLocation,
    new_key: Annotated[
        bool,
        Option(
            "--new-key",
            help="Also make the key for the pseudonyms of releases.",
        ),
    ] = False,
) -> None:
    """Write a first site file if there is none, and create or upgrade its store."""
    require_history()
    from schedlab.history.pseudonyms import make_key
    from schedlab.history.site_template import write_template
    from schedlab.history.store import Store

    notes = []
    if place.store is None and not place.site.exists():
        write_template(place.site)
        notes.append(f"written: {place.site}; say in it where your jobs and sensors are")
    with Store.make(place.url()) as store:
        notes.append(f"store: {store.shown} is ready")
    if new_key:
        path = place.site.parent / place.read().release.key
        make_key(path)
        notes.append(f"key: {path}; keep it apart from the store, and safe")
    notes += place.exposures()
    print_notes(notes, to_stderr=False)
