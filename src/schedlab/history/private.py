"""Files that only their owner may reach: a store has password hashes and all users' jobs."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from schedlab.history.site import Site
from schedlab.history.store.database import files_of

_OTHERS = 0o077


def make_private_folder(path: Path) -> None:
    """Make the folder and its parents, for their owner only; existing ones stay unchanged."""
    for folder in [*reversed(path.parents), path]:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)


def exposures(store: str, site: Site | None) -> list[str]:
    """Return a message for each part of store, archive and secrets that others can reach."""
    paths = [*files_of(store), *(() if site is None else _files(site))]
    return [told for path in dict.fromkeys(paths) if (told := _exposure(path)) is not None]


def _files(site: Site) -> Iterator[Path]:
    """Yield the archive folder, which guards its files, and files with passwords and tokens."""
    folder = site.path.parent
    if site.archive is not None:
        yield folder / site.archive.folder
    service = site.service
    sensors = (source.section for source in site.sensor_sources)
    sections = (service.oidc, service.mail, service.alerts, *sensors)
    options = [vars(each) for each in sections if each is not None]
    for section in (*options, *site.job_sections):
        for key in ("client_secret_file", "password_file", "token_file", "webhook_file"):
            if isinstance(path := section.get(key), str):
                yield folder / path


def _exposure(path: Path) -> str | None:
    try:
        found = path.stat()
    except OSError:
        return None
    mode = stat.S_IMODE(found.st_mode)
    if not mode & _OTHERS:
        return None
    private = "700" if stat.S_ISDIR(found.st_mode) else "600"
    remedy = f"chmod {private} {quote(str(path))}"
    return f"{path}: has mode {mode:03o}, others can reach it; run: {remedy}"
