"""Declaration of commands: functions whose parameters are options or groups of options."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from itertools import takewhile, zip_longest
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from schedlab.cli.completion import completion_for
from schedlab.errors import ParameterError
from schedlab.units import LARGEST

Command = Callable[..., None]


class OneCommand(TyperCommand):
    """A command whose help shows no type beside flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options, including --help."""
        return _without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; an option without its value does not take the next option as value."""
        parameters = self.get_params(ctx)
        options = {name: each for each in parameters for name in each.opts if name[0] == "-"}
        given = [] if ctx.resilient_parsing else list(takewhile(lambda each: each != "--", args))
        for name, value in zip_longest(given, given[1:]):
            option = options.get(name)
            if getattr(option, "is_flag", True) or (value is not None and value not in options):
                continue
            wanted = f": {option.metavar}" if option is not None and option.metavar else ""
            raise ParameterError(f"{name} needs a value{wanted}; see {ctx.command_path} --help")
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A group of commands whose help shows no type beside flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, including --help."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: Iterable[Any]) -> list[Any]:
    found = list(parameters)
    for each in found:
        if getattr(each, "is_flag", False):
            each.metavar = ""
    return found


def new_group(name: str, help: str, *examples: str) -> typer.Typer:
    """Return an empty group of commands, with examples beneath its help."""
    return typer.Typer(
        name=name, help=help, epilog=epilog(examples), cls=Group, no_args_is_help=True
    )


def add_command(
    app: typer.Typer, command: Command, *examples: str, name: str | None = None
) -> None:
    """Add the command under this name, or that of its function, with examples beneath its help.

    A parameter that is a dataclass stands for one option per field, so that commands can share
    options.
    """
    app.command(name, cls=OneCommand, epilog=epilog(examples))(_spread(command))


def epilog(examples: Iterable[str]) -> str:
    """Return the text beneath a command's help.

    Each line is a paragraph, because Typer joins the lines of a paragraph.
    """
    return "\n\n".join(("Examples:", *(f"  {example}" for example in examples)))


def _spread(command: Command) -> Command:
    """Return the command as Typer wants it: one parameter per option."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    def spread(**values: Any) -> None:
        for name, value in values.items():
            _refuse_huge(name, value)
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        command(**values)

    parameters = list(_parameters(command, hints))
    for each in parameters:
        _complete(each.name, each.annotation)
    spread.__name__, spread.__doc__ = command.__name__, _paragraphs(command.__doc__ or "")
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in parameters}
    return spread


def _paragraphs(docstring: str) -> str:
    """Return the text with one line per paragraph, so that the terminal breaks lines itself."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def _complete(name: str, hint: Any) -> None:
    """Give the option its shell completion, if it has none yet."""
    if get_origin(hint) is not Annotated:
        return
    kind, info = get_args(hint)
    if info.autocompletion is None:
        info.autocompletion = completion_for(name, kind)


def _refuse_huge(name: str, value: Any) -> None:
    """Refuse numbers that the core or a double cannot hold; no option has a use for them."""
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
