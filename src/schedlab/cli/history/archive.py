"""schedlab history archive."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.history.choosing import epoch_s
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import InputError, ParameterError

if TYPE_CHECKING:
    from schedlab.history.job_archive.forget import Deleted
    from schedlab.history.job_archive.move import Moved
    from schedlab.history.storage_sections import ArchiveSection

EXAMPLES = (
    "schedlab history archive --before 2025-01-01",
    "schedlab history archive --site site.toml",
)


def archive(
    place: StoreLocation,
    before: Annotated[
        str | None,
        Option(
            metavar="TIME",
            help="Move jobs that ended before. Default: as move_after_months of the site file "
            "says.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Move old jobs from the store to Parquet files, by month, in the archive of the site file.

    There they are found by their ids and by schedlab history query. Then the command deletes from
    the archive what is older than delete_after_months of the site file, if that is set. It can be
    stopped at any moment: no job is lost, and the next run continues.
    """
    from schedlab.cli.progress import progress

    section = place.read().archive
    if section is None:
        raise InputError(f"{place.site}: has no [archive]; give its folder there")
    folder, now_s = place.site.parent / section.folder, time.time()
    moment_s = _before_s(section, before, now_s)
    with place.open() as store, store.ingesting(), progress("archiving") as report:
        from schedlab.history.job_archive.forget import delete_old
        from schedlab.history.job_archive.months import months_before_s
        from schedlab.history.job_archive.move import move_jobs

        def tell(jobs: int) -> None:
            report(jobs, None, f"{jobs:,} jobs")

        moved = move_jobs(store, folder, moment_s, tell)
        deleted = None
        if section.delete_after_months is not None:
            kept_from_s = months_before_s(now_s, section.delete_after_months)
            deleted = delete_old(store, folder, kept_from_s)
    if json:
        print_json({**asdict(moved), "deleted": deleted and asdict(deleted)})
    print_notes(list(_notes(moved, deleted, folder)), to_stderr=json)


def _before_s(section: ArchiveSection, before: str | None, now_s: float) -> int:
    from schedlab.history.job_archive.months import months_before_s

    moment_s = epoch_s("--before", before)
    if moment_s is None and section.move_after_months is None:
        raise ParameterError(
            "which jobs are old? Give --before, or move_after_months in [archive] of the site file"
        )
    if moment_s is None:
        assert section.move_after_months is not None
        return months_before_s(now_s, section.move_after_months)
    if moment_s > now_s:
        raise ParameterError(f"--before {before}: has not come yet")
    return moment_s


def _notes(moved: Moved, deleted: Deleted | None, folder: Path) -> Iterator[str]:
    yield f"jobs moved: {moved.jobs:,}; new files under {folder}: {moved.files:,}"
    if moved.waiting:
        yield f"{moved.waiting:,} jobs of that time stay: their sensors have not been asked yet"
    for path in moved.strange:
        yield f"{folder / path}: is not of this store; it is left as it is"
    if deleted is not None:
        yield (
            f"deleted as too old: jobs: {deleted.jobs:,}; files of jobs: {deleted.files:,}; "
            f"days of timelines: {deleted.days:,}"
        )
