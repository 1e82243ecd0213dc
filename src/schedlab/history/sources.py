"""The job sources of a site."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from schedlab.errors import InputError, UnknownNameError
from schedlab.history.ingest import JobSource, make_job_source
from schedlab.history.site import Site

_PATHS = ("file", "folder", "password_file")


def job_sources(site: Site, only: Collection[str] = ()) -> list[JobSource]:
    """The sources that the site file describes, or those of these names; paths count from it."""
    found: dict[str, JobSource] = {}
    for section in site.job_sections:
        located = dict(section)
        for key in _PATHS:
            if isinstance(path := section.get(key), str):
                located[key] = str(site.path.parent / Path(path))
        source = make_job_source(located)
        if source.name in found:
            raise InputError(f'{site.path}: two job sources are called "{source.name}"; name them')
        found[source.name] = source
    for name in only:
        if name not in found:
            raise UnknownNameError("job source", name, found)
    return [source for name, source in found.items() if not only or name in only]
