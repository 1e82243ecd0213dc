"""Conversion of TOML sections to dataclasses, with all keys and types checked, and back."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_type_hints

from schedlab.errors import InputError, SchedlabError, UnknownNameError

T = TypeVar("T")

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


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
    dict[str, float]: (
        lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
        "a table of numbers",
    ),
    tuple[float, float, float]: (
        lambda value: _list_of(_is_number)(value) and len(value) == 3,
        "a list of three numbers",
    ),
}


def parse_toml(path: str | Path, text: str) -> dict[str, Any]:
    """Return the sections of a TOML file; an error names its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise InputError.at(path, int(line[1]) if line else None, f"not TOML: {error}") from None


def build(section: type[T], given: Any, where: str) -> T:
    """Return the dataclass filled from the section; ``where`` names the section in errors."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {given!r}; must be a section")
    if _is_text(given.get("name")):
        where = f'{where} "{given["name"]}"'
    hints = get_type_hints(section)
    known = {each.name: each for each in fields(section)}  # type: ignore[arg-type]
    reject_unknown_keys(given, known, where)
    for name, each in known.items():
        if name not in given and each.default is MISSING and each.default_factory is MISSING:
            raise InputError(f"{where} lacks the key {name}")
    values = {key: _typed(hints[key], given[key], f"{where}: {key}") for key in given}
    try:
        return section(**values)
    except SchedlabError as error:
        raise InputError(f"{where}: {error}") from None


def build_each(section: type[T], given: Any, where: str) -> tuple[T, ...]:
    """Return one dataclass for each of the sections in double brackets."""
    if not isinstance(given, list):
        raise InputError(f"write {where} with double brackets, once for each")
    return tuple(build(section, each, where) for each in given)


def reject_unknown_keys(given: Collection[str], known: Collection[str], where: str) -> None:
    """Refuse an unknown key or section: nothing would read it."""
    for key in given:
        if key not in known:
            raise UnknownNameError(f"key or section of {where}", key, known)


def from_keywords(section: type[T], given: Mapping[str, Any]) -> T:
    """Return the dataclass with these values.

    An unknown key is an error that names the nearest one.
    """
    reject_unknown_keys(given, [each.name for each in fields(section)], section.__name__)  # type: ignore[arg-type]
    return section(**given)


def require_number(value: Any, where: str) -> float:
    """Return the value, which must be a finite number; ``where`` names it in the error."""
    return float(_typed(float, value, where))


def value_of(section: type, key: str, given: Any, where: str) -> Any:
    """Return the value as ``build`` would put it into the dataclass, which must know the key."""
    reject_unknown_keys([key], [each.name for each in fields(section)], where)
    return _typed(get_type_hints(section)[key], given, f"{where}: {key}")


def as_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the sections as TOML; keys without a value are left out."""
    return "\n".join(
        "\n".join((f"[{name}]", *_lines(section))) + "\n" for name, section in sections.items()
    )


def document_toml(document: Mapping[str, Any]) -> str:
    """Return as TOML a document of values, tables and lists of tables, which may be nested."""
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    rest = {key: value for key, value in document.items() if key not in tables}
    values = {key: value for key, value in rest.items() if not _is_tables(value)}
    lists = {key: value for key, value in rest.items() if key not in values}
    lines = list(_table_lines(values))
    for key, table in tables.items():
        lines += ["", f"[{_toml_key(key)}]", *_table_lines(table)]
    lines += _table_lines(lists)
    return "\n".join(lines).lstrip("\n") + "\n"


def plain(section: Any) -> dict[str, Any]:
    """Return the section as a dict, the inverse of ``build``; defaults are left out."""
    values = {each.name: (getattr(section, each.name), _usual(each)) for each in fields(section)}
    return {name: _listed(value) for name, (value, usual) in values.items() if value != usual}


def plain_whole(section: Any) -> dict[str, Any]:
    """Return the section as a dict, the inverse of ``build``, with all values but None."""
    values = {each.name: getattr(section, each.name) for each in fields(section)}
    return {name: _listed(value) for name, value in values.items() if value is not None}


def _usual(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _table_lines(table: Mapping[str, Any], inside: str = "") -> Iterator[str]:
    """Yield the lines of the table's values, then those of its lists of tables."""
    lists = {key: value for key, value in table.items() if _is_tables(value)}
    for key, value in table.items():
        if key not in lists:
            yield f"{_toml_key(key)} = {_toml_value(value)}"
    for key, tables in lists.items():
        for each in tables:
            yield from ("", f"[[{inside}{key}]]", *_table_lines(each, f"{inside}{key}."))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _toml_value(value: Any) -> str:
    """Return the value as TOML, whose strings and numbers are JSON's but for one character."""
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _toml_value(key)


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
