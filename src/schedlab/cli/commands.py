"""How a command is declared: a function whose parameters are options or groups of options."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints

import typer

from schedlab.errors import ParameterError
from schedlab.units import LARGEST

Command = Callable[..., None]


def add_command(
    app: typer.Typer, command: Command, *examples: str, name: str | None = None
) -> None:
    """Add the command under that name, or its function's, with examples beneath its help.

    A parameter that is a dataclass stands for one option per field; so commands share options.
    """
    app.command(name, epilog=epilog(examples))(_spread(command))


def epilog(examples: Iterable[str]) -> str:
    """The text beneath a command's help; each line is a paragraph, or Typer would join them."""
    return "\n\n".join(("Examples:", *(f"  {example}" for example in examples)))


def _spread(command: Command) -> Command:
    """The command as Typer wants it: one parameter per option."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    def spread(**values: Any) -> None:
        for name, value in values.items():
            _refuse_huge(name, value)
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        command(**values)

    parameters = list(_parameters(command, hints))
    spread.__name__, spread.__doc__ = command.__name__, command.__doc__
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in parameters}
    return spread


def _refuse_huge(name: str, value: Any) -> None:
    """No option has a use for numbers that neither the core nor a double can hold."""
    if isinstance(value, list):
        for each in value:
            _refuse_huge(name, each)
    if isinstance(value, int) and abs(value) > LARGEST:
        option = name.replace("_", "-")
        raise ParameterError(f"--{option} is {value}; must be at most {LARGEST} in size")
    if isinstance(value, float) and not math.isfinite(value):
        raise ParameterError(f"--{name.replace('_', '-')} is {value}; must be a finite number")


def _parameters(command: Command, hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if is_dataclass(hint):
            yield from _options(hint)
        else:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint)


def _options(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        yield inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(each),
            annotation=hints[each.name],
        )


def _default(each: Field[Any]) -> Any:
    if each.default_factory is not MISSING:
        return each.default_factory()
    return inspect.Parameter.empty if each.default is MISSING else each.default
