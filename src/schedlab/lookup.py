"""Names of implementations: those in a table, and ``package.module:object`` for any other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from schedlab.errors import ParameterError, UnknownNameError

T = TypeVar("T")


def find_class(kind: str, name: str, table: Mapping[str, type[T]]) -> type[T]:
    """Return the class with this name in the table, or the one ``package.module:Class`` names."""
    if name in table:
        return table[name]
    if not is_import_path(name):
        raise UnknownNameError(kind, name, table)
    found = import_object(kind, name)
    if not isinstance(found, type):
        raise ParameterError(f'{kind} "{name}" is not a class')
    return found


def is_import_path(name: str) -> bool:
    """Return whether the name has the form ``package.module:object``."""
    module, colon, attribute = name.partition(":")
    parts = [*module.split("."), attribute]
    return bool(colon) and all(part.isidentifier() for part in parts)


def import_object(kind: str, name: str) -> Any:
    """Return the object that ``package.module:object`` names.

    Modules in the current folder are found, too.
    """
    if not is_import_path(name):
        raise ParameterError(f'{kind} "{name}" is unknown; your own is written package.module:name')
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ParameterError(f'{kind} "{name}": {error}') from None


def split_parameters(text: str, whose: str) -> dict[str, str]:
    """Return the keys and texts in ``key=value,...``; a repeated key is an error.

    ``whose`` begins the message of an error.
    """
    texts: dict[str, str] = {}
    for word in text.split(",") if text else []:
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals:
            raise ParameterError(f'{whose}: parameter "{key}" has no value')
        if key in texts:
            raise ParameterError(f'{whose}: parameter "{key}" is given twice')
        texts[key] = value
    return texts


def require_callable(kind: str, name: str, found: Any, *arguments: Any) -> None:
    """Refuse an object that cannot take these arguments; builtins without a signature pass."""
    try:
        signature(found).bind(*arguments)
    except ValueError:
        return
    except TypeError as error:
        raise ParameterError(f'{kind} "{name}" cannot be called: {error}') from None


def parse_parameters(
    kind: str, name: str, text: str, known: Mapping[str, Callable[[str], Any]]
) -> dict[str, Any]:
    """Return the values in ``key=value,...``, each parsed as ``known`` says for its key."""
    values = {}
    for key, value in split_parameters(text, f'{kind} "{name}"').items():
        if key not in known:
            raise UnknownNameError(f"parameter of {name}:", key, known)
        try:
            values[key] = known[key](value)
        except ParameterError as error:
            raise ParameterError(f'{kind} "{name}": {key}: {error}') from None
    return values
