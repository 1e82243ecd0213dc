"""schedlab history export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.history.choosing import Choosing
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.history.pseudonyms import Release

EXAMPLES = (
    "schedlab history export jobs.jsonl",
    "schedlab history export january.parquet --from 2026-01-01 --until 2026-02-01",
    "schedlab history export public.json --release 2026-spring --shift-days -400",
)
_DAY_S = 86_400


def export(
    place: StoreLocation,
    choosing: Choosing,
    path: Annotated[Path, Argument(metavar="OUT", help="The file, or folder, to write.")],
    format: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Format, if the suffix does not show it: json-lines, json, parquet, arrow, csv, "
            "swf, gwf, batsim-json or clustercockpit.",
        ),
    ] = None,
    release: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Name of a release: names become pseudonyms or are dropped, as the section "
            "release of the site file says. A file with a real name in it is not written.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        Option(metavar="FILE", help="The key of the pseudonyms, instead of the site file's."),
    ] = None,
    shift_days: Annotated[
        int,
        Option(
            metavar="D",
            min=-36_500,
            max=36_500,
            help="Shift all times of the release by this many days.",
        ),
    ] = 0,
    json: AsJson = False,
) -> None:
    """Write jobs of the store in another format, as a stream of any length."""
    from schedlab.atomic import require_writable
    from schedlab.cli.progress import progress

    if release is None and (key is not None or shift_days):
        raise ParameterError("--key and --shift-days belong to a --release; name it")
    with place.open() as store, progress(f"writing {path.name}"):
        from schedlab.history.export.export import export, find_exporter

        if not find_exporter(path, format).is_folder:
            require_writable(path)
        given = None if release is None else _release(place, release, key, shift_days)
        done = export(
            store,
            path,
            format=format,
            query=choosing.query(),
            release=given,
            zone=place.zone(),
            nodes=place.nodes(choosing.cluster),
        )
    if json:
        print_json({"path": str(path), "jobs": done.jobs, "names_searched": done.searched})
        return
    notes = [f"written: {path}, {done.jobs:,} jobs"]
    if release is not None:
        notes.append(f"searched for {done.searched:,} real names: none stands in it")
    print_notes(notes, to_stderr=False)


def _release(place: StoreLocation, name: str, key: Path | None, shift_days: int) -> Release:
    from schedlab.history.pseudonyms import Release, read_key
    from schedlab.history.storage_sections import ReleaseSection

    section = place.read().release if place.site.exists() else ReleaseSection()
    secret = read_key(key or place.site.parent / section.key)
    return Release(name, secret, section, shift_s=shift_days * _DAY_S)
