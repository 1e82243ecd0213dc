"""What --help prints: it fits a terminal of 80 columns, and nothing in it is cut."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from tests.cli.conftest import Run
from tests.cli.test_cli_reference import COMMANDS

from schedlab.cli.app import app

COLUMNS = 80


def command_of(path: tuple[str, ...]) -> Any:
    """Return the command that these words run."""
    found: Any = typer.main.get_command(app)
    for name in path:
        found = found.commands[name]
    return found


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_fits_80_columns(path: tuple[str, ...], run: Run) -> None:
    """No line is longer, options and the names of their values are whole, flags take no value."""
    shown = run(*path, "--help").stdout
    assert max(map(len, shown.splitlines())) <= COLUMNS
    assert "…" not in shown
    assert "<bool>" not in shown
    words = set(shown.replace("│", " ").replace(",", " ").split())
    for each in command_of(path).params:
        names = [*each.opts, *each.secondary_opts] if each.param_type_name == "option" else []
        metavar = (each.metavar or "").replace(",", " ").split()
        assert words >= {*names, *metavar}, f"{each.name} is broken or cut"


def test_help_is_broken_only_where_a_line_is_full() -> None:
    """A line break in the source is no line break in a paragraph of the help."""
    for path in COMMANDS:
        assert "\n" not in command_of(path).help.replace("\n\n", "")
