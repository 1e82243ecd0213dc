"""The page on the command line, and the help that it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.text import Text

from schedlab.cli.app import app
from schedlab.cli.reference import reference
from schedlab.workload import READERS

Run = Callable[..., Any]

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "command-line.md"


def commands(command: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the words that reach each command and group."""
    yield path
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, *path, name)


COMMANDS = list(commands(typer.main.get_command(app)))


def test_the_page_is_up_to_date() -> None:
    """Write it again with: python -m schedlab.cli.reference > docs/guides/command-line.md."""
    assert PAGE.read_text(encoding="utf-8") == reference(app)


def helps(command: Any) -> Iterator[str]:
    """Yield the help text of every command and of each of its options."""
    yield from (text for each in (command, *command.params) if (text := each.help))
    for each in getattr(command, "commands", {}).values():
        yield from helps(each)


def test_help_is_printed_as_it_is_written() -> None:
    """Words in brackets would be taken for markup and disappear."""
    for text in helps(typer.main.get_command(app)):
        assert Text.from_markup(text).plain == text


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_help_has_an_example(path: tuple[str, ...], run: Run) -> None:
    """Users read an example before any list of options."""
    result = run(*path, "--help")
    assert result.exit_code == 0
    example = result.stdout.partition("Examples:")[2]
    assert " ".join(("schedlab", *path)) in example


def test_the_help_names_every_format(run: Run) -> None:
    """The list is written into the help, so that it costs no import."""
    shown = " ".join(run("workload", "info", "--help").stdout.replace("│", " ").split())
    assert all(name in shown for name in READERS)
