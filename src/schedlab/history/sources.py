"""The job sources of a site."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields, is_dataclass
from pathlib import Path

from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.history.ingest import JOB_SOURCES, JobSource, make_job_source
from schedlab.history.site import Site
from schedlab.lookup import find_class

_PATHS = ("file", "folder", "password_file")
_WHERE = ("file", "folder", "url")
_PASSWORD = re.compile("(?<=//)([^/:@]*):.*@")


def job_sources(site: Site, only: Collection[str] = ()) -> list[JobSource]:
    """Return the sources that the site file describes, or those of these names.

    Their paths are relative to the site file.
    """
    found: dict[str, JobSource] = {}
    for section in site.job_sections:
        located = dict(section)
        for key in _PATHS:
            if isinstance(path := section.get(key), str):
                located[key] = str(site.path.parent / Path(path))
        try:
            source = make_job_source(located)
        except SchedlabError as error:
            raise InputError(f"{site.path}: {error}") from None
        if source.name in found:
            raise InputError(f'{site.path}: two job sources are called "{source.name}"; name them')
        found[source.name] = source
    for name in only:
        if name not in found:
            raise UnknownNameError("job source", name, found)
    return [source for name, source in found.items() if not only or name in only]


def lone_job_source(kind: str, where: str, cluster: str | None = None) -> JobSource:
    """Return a job source that is not in a site file.

    Args:
        kind: the kind, as in a site file.
        where: the file, folder or URL that a source of that kind reads.
        cluster: cluster of the jobs, if the kind has that option.
    """
    found = find_class("job source", kind, JOB_SOURCES)
    options: list[str] = [each.name for each in fields(found)] if is_dataclass(found) else []
    key = next((key for key in _WHERE if key in options), None)
    if key is None:
        raise ParameterError(
            f'job source "{kind}" has no option {", ".join(_WHERE)}; describe it in a site file'
        )
    section = {"kind": kind, "name": _PASSWORD.sub(r"\1@", where), key: where}
    if cluster is not None:
        section["cluster"] = cluster
    return make_job_source(section, "--kind")
