"""What determines a result, as a short key."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from schedlab import _core
from schedlab.version import __version__


def key_of(**determined_by: Any) -> str:
    """Return a key that differs as soon as any of the values does."""
    text = json.dumps({**determined_by, "code": _code()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of the file as it is stored."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def outside_code(texts: Iterable[str]) -> dict[str, str]:
    """Return digests of the modules of ``module:object`` and the files of ``learned:file``."""
    named = [text.split(":") for text in texts if ":" in text]
    modules = {parts[0]: getattr(sys.modules.get(parts[0]), "__file__", None) for parts in named}
    files = {parts[1]: parts[1] for parts in named if Path(parts[1]).is_file()}
    found = {name: file for name, file in {**modules, **files}.items() if file}
    return {name: file_digest(Path(found[name])) for name in sorted(found)}


def code_of(texts: Iterable[str]) -> dict[str, Any]:
    """Return what computes here: schedlab as it is installed, and the modules that texts name."""
    return {"schedlab": _code(), **outside_code(texts)}


@cache
def _code() -> list[str]:
    """Return the version and the core's digest: in development one version has many cores."""
    return [__version__, file_digest(Path(str(_core.__file__)))]
