"""A platform as a TOML file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from schedlab.atomic import replacing
from schedlab.platform.platform import Platform


def write_platform(platform: Platform, path: str | Path) -> None:
    """Write what ``read_platform`` reads."""
    with replacing(path) as temporary:
        temporary.write_text("\n".join(_lines(platform)) + "\n", encoding="utf-8")


def _lines(platform: Platform) -> Iterator[str]:
    yield f"name = {_value(platform.name)}"
    for site in platform.sites:
        yield from ("", "[[site]]", f"name = {_value(site.name)}")
        for cluster in site.clusters:
            yield from ("", "[[site.cluster]]", *_pairs(asdict(cluster)))


def _pairs(settings: Mapping[str, Any]) -> Iterator[str]:
    for key, value in settings.items():
        yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    """The value in TOML, whose strings and numbers are JSON's but for the delete character."""
    if isinstance(value, dict):
        return "{ " + ", ".join(_pairs(value)) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
