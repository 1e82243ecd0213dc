"""A platform as a TOML file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schedlab.atomic import replacing
from schedlab.platform.platform import Platform

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def write_platform(platform: Platform, path: str | Path) -> None:
    """Write what ``read_platform`` reads."""
    with replacing(path) as temporary:
        temporary.write_text("\n".join(_lines(platform.to_dict())) + "\n", encoding="utf-8")


def _lines(table: Mapping[str, Any], inside: str = "") -> Iterator[str]:
    """Its values, then the sections in it."""
    sections = {key: value for key, value in table.items() if _is_sections(value)}
    for key, value in table.items():
        if key not in sections:
            yield f"{_key(key)} = {_value(value)}"
    for key, tables in sections.items():
        for each in tables:
            yield from ("", f"[[{inside}{key}]]", *_lines(each, f"{inside}{key}."))


def _is_sections(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _value(value: Any) -> str:
    """The value in TOML, whose strings and numbers are JSON's but for the delete character."""
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
        )
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)
