"""Keys of sections and fields of dataclasses: ``memory = "64GiB"`` becomes ``memory_bytes``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from schedlab.errors import PlatformError, SchedlabError
from schedlab.sections import reject_unknown_keys, value_of
from schedlab.units import parse_bytes, parse_duration

T = TypeVar("T")


def build_section(section: type[T], given: Mapping[str, Any], where: str, **ready: Any) -> T:
    """Return the dataclass filled from the section; fields in ``ready`` need no reading."""
    known = {key_of(each.name): each for each in _fields(section) if each.name not in ready}
    reject_unknown_keys(given, known, where)
    where = place_of(where, given)
    for key, each in known.items():
        if key not in given and each.default is MISSING and each.default_factory is MISSING:
            raise PlatformError(f"{where} lacks the key {key}")
    values = {}
    for key, value in given.items():
        name = known[key].name
        values[name] = value_of(section, name, _value(name, value, f"{where}: {key}"), where)
    try:
        return section(**values, **ready)
    except SchedlabError as error:
        raise PlatformError(f"{where}: {error}") from None


def place_of(where: str, given: Mapping[str, Any]) -> str:
    """Return the section with its name, if it has one."""
    name = given.get("name")
    return f'{where} "{name}"' if isinstance(name, str) else where


def plain_section(section: Any, left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the inverse of ``build_section``; defaults are left out."""
    plain: dict[str, Any] = {}
    for each in _fields(type(section)):
        value = getattr(section, each.name)
        if each.name not in left_out and value != _usual(each):
            plain[key_of(each.name)] = _plain(each.name, value)
    return plain


def key_of(field: str) -> str:
    """Return the key of a field: its name without the unit, which the value has."""
    return field.removesuffix("_bytes" if _is_memory(field) else "_s" if _is_time(field) else "")


def _fields(section: type) -> list[Field[Any]]:
    return list(fields(section))


def _usual(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _is_memory(field: str) -> bool:
    return field.endswith("_bytes")


def _is_time(field: str) -> bool:
    return field.endswith("_s") and not field.endswith("_per_s")


def _value(field: str, value: Any, where: str) -> Any:
    if not (_is_memory(field) or _is_time(field)):
        return value
    if _is_time(field) and isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        allowed = 'look like "64GiB"' if _is_memory(field) else 'be seconds, or look like "36h"'
        raise PlatformError(f"{where} is {value!r}; must {allowed}")
    try:
        return parse_bytes(value) if _is_memory(field) else parse_duration(value)
    except SchedlabError as error:
        raise PlatformError(f"{where}: {error}") from None


def _plain(field: str, value: Any) -> Any:
    if _is_memory(field):
        return _memory(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _memory(count: int) -> str:
    for exponent, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count % 1024**exponent == 0:
            return f"{count // 1024**exponent}{unit}"
    return f"{count}B"
