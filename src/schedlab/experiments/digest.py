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
    """A key that differs as soon as any of the values does."""
    text = json.dumps({**determined_by, "code": _code()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def file_digest(path: Path) -> str:
    """SHA-256 of the file as it is stored."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def outside_code(texts: Iterable[str]) -> dict[str, str]:
    """Digests of the modules that ``package.module:object`` names among the texts."""
    modules = {text.partition(":")[0] for text in texts if ":" in text}
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in sorted(modules)}
    return {name: file_digest(Path(file)) for name, file in files.items() if file}


def code_of(texts: Iterable[str]) -> dict[str, Any]:
    """What computes here: schedlab as it is installed, and the modules that the texts name."""
    return {"schedlab": _code(), **outside_code(texts)}


@cache
def _code() -> list[str]:
    """The version, and the core as built: during development one version has many cores."""
    return [__version__, file_digest(Path(str(_core.__file__)))]
