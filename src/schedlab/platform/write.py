"""A platform as a TOML file."""

from __future__ import annotations

from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.platform.platform import Platform
from schedlab.sections import document_toml


def write_platform(platform: Platform, path: str | Path) -> None:
    """Write the platform to a file that ``read_platform`` reads."""
    with atomic_write(path) as temporary:
        temporary.write_text(document_toml(platform.to_dict()), encoding="utf-8")
