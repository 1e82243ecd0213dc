"""From a section of a TOML file to a dataclass (every key known, every value typed), and back."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_type_hints

from schedlab.errors import InputError, SchedlabError, UnknownNameError

T = TypeVar("T")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _list_of(each: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(each(item) for item in value)


_TYPES: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (_is_text, "a text"),
    int: (_is_count, "a whole number >= 0"),
    float: (_is_number, "a number"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    tuple[str, ...]: (_list_of(_is_text), "a list of texts"),
    tuple[int, ...]: (_list_of(_is_count), "a list of whole numbers >= 0"),
    tuple[float, ...]: (_list_of(_is_number), "a list of numbers"),
    dict[str, int]: (
        lambda value: isinstance(value, dict) and all(map(_is_count, value.values())),
        "a table of whole numbers >= 0",
    ),
    tuple[float, float, float]: (
        lambda value: _list_of(_is_number)(value) and len(value) == 3,
        "a list of three numbers",
    ),
}


def parse_toml(path: str | Path, text: str) -> dict[str, Any]:
    """The sections of a TOML file; an error names its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise InputError.at(path, int(line[1]) if line else None, f"not TOML: {error}") from None


def build(section: type[T], given: Any, where: str) -> T:
    """The dataclass that the section fills in; ``where`` names it in errors."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {given!r}; must be a section")
    if _is_text(given.get("name")):
        where = f'{where} "{given["name"]}"'
    hints = get_type_hints(section)
    known = {each.name: each for each in fields(section)}  # type: ignore[arg-type]
    only(given, known, where)
    for name, each in known.items():
        if name not in given and each.default is MISSING and each.default_factory is MISSING:
            raise InputError(f"{where} does not say {name}")
    values = {key: _typed(hints[key], given[key], f"{where}: {key}") for key in given}
    try:
        return section(**values)
    except SchedlabError as error:
        raise InputError(f"{where}: {error}") from None


def build_each(section: type[T], given: Any, where: str) -> tuple[T, ...]:
    """One dataclass for each of the sections in double brackets."""
    if not isinstance(given, list):
        raise InputError(f"write {where} with double brackets, once for each")
    return tuple(build(section, each, where) for each in given)


def only(given: Collection[str], known: Collection[str], where: str) -> None:
    """Refuse a key or section that nothing would read."""
    for key in given:
        if key not in known:
            raise UnknownNameError(f"key or section of {where}", key, known)


def from_keywords(section: type[T], given: Mapping[str, Any]) -> T:
    """The dataclass with these values; an unknown key is told with the nearest one."""
    only(given, [each.name for each in fields(section)], section.__name__)  # type: ignore[arg-type]
    return section(**given)


def require_number(value: Any, where: str) -> float:
    """The value, which must be a finite number; ``where`` names it in the error."""
    return float(_typed(float, value, where))


def value_of(section: type, key: str, given: Any, where: str) -> Any:
    """The value as ``build`` would put it into the dataclass; it must know the key."""
    only([key], [each.name for each in fields(section)], where)
    return _typed(get_type_hints(section)[key], given, f"{where}: {key}")


def as_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """The sections as TOML; keys without a value are left out."""
    return "\n".join(
        "\n".join((f"[{name}]", *_lines(section))) + "\n" for name, section in sections.items()
    )


def _lines(section: Mapping[str, Any]) -> Iterator[str]:
    for key, value in section.items():
        if value is not None:
            # Numbers, texts, truth values and lists of these look the same in JSON and in TOML.
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _typed(hint: Any, value: Any, where: str) -> Any:
    allowed = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and NoneType in allowed:
        return None
    rules = [_TYPES[each] for each in allowed if each is not NoneType]
    if not any(fits(value) for fits, _ in rules):
        words = " or ".join(words for _, words in rules)
        raise InputError(f"{where} is {value!r}; must be {words}")
    if isinstance(value, list):
        return tuple(value)
    return float(value) if float in allowed else value
