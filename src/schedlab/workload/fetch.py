"""Download a public trace once, whole and verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from schedlab.errors import InputError, OutputError
from schedlab.workload.catalog import ARCHIVE, Trace, catalogued

Progress = Callable[[int, int | None], None]

TIMEOUT_S = 30
CHUNK_BYTES = 1 << 16


def default_cache_dir() -> Path:
    """Return the folder of downloaded traces in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "schedlab" / "traces"


def find(name: str, *, cache_dir: str | Path | None = None) -> Path | None:
    """Return the path of the trace in the cache, or None if it was not fetched."""
    path = Path(cache_dir or default_cache_dir()) / catalogued(name).file_name
    return path if path.is_file() else None


def fetch(
    name: str,
    *,
    cache_dir: str | Path | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Download the trace unless it is there, verify its SHA-256, and return its path.

    An interrupted download leaves a ``.part`` file and is resumed where it stopped.

    Args:
        name: a name in ``CATALOG``.
        cache_dir: another folder than the user's cache.
        base_url: a mirror of the archive, holding ``folder/NAME.swf.gz``.
        progress: called with the bytes so far and, if the server sends it, their total.
    """
    trace = catalogued(name)
    path = Path(cache_dir or default_cache_dir()) / trace.file_name
    part = path.with_name(f"{path.name}.part")
    url = f"{(base_url or ARCHIVE).rstrip('/')}/{trace.folder}/{trace.file_name}"
    try:
        if _verified(path, trace):
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _verified(part, trace):
            _download(url, part, progress)
            _require_verified(part, trace, url)
        part.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return path


def _verified(path: Path, trace: Trace) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == trace.sha256


def _require_verified(part: Path, trace: Trace, url: str) -> None:
    if not _verified(part, trace):
        part.unlink()
        raise InputError(
            f"{url}: what was downloaded does not have the SHA-256 {trace.sha256} "
            "of the catalog and was removed; fetch it again"
        )


def _download(url: str, part: Path, progress: Progress | None) -> None:
    """Complete the partial file."""
    response = _open(url, part)
    with response, part.open("ab" if response.status == 206 else "wb") as file:
        done = file.tell()
        length = response.headers["Content-Length"]
        total = done + int(length) if length else None
        while chunk := _read(response, url):
            file.write(chunk)
            done += len(chunk)
            if progress:
                progress(done, total)
    if total is not None and done < total:
        raise InputError(
            f"{url}: the connection broke after {done:,} of {total:,} bytes; fetch again to resume"
        )


def _open(url: str, part: Path) -> HTTPResponse:
    """Ask the server only for what the partial file lacks, and return its answer."""
    have = part.stat().st_size if part.exists() else 0
    try:
        request = Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        return cast(HTTPResponse, urlopen(request, timeout=TIMEOUT_S))
    except HTTPError as error:
        error.close()
        if error.code == 416 and have:
            part.unlink()
            return _open(url, part)
        raise InputError(f"{url}: the server answers {error.code} {error.reason}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise _unreachable(url, error) from None


def _read(response: HTTPResponse, url: str) -> bytes:
    try:
        return response.read(CHUNK_BYTES)
    except (HTTPException, OSError) as error:
        raise InputError(f"{url}: the connection broke ({error}); fetch again to resume") from None


def _unreachable(url: str, error: Exception) -> InputError:
    reason = getattr(error, "reason", error)
    reason = getattr(reason, "strerror", None) or reason
    return InputError(
        f"{url}: cannot be reached ({reason}); fetch again when the network is there, "
        "or give the address of a mirror"
    )
