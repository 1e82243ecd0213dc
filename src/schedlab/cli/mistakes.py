"""How a mistake ends: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from schedlab.errors import SchedlabError

INTERRUPTED = 130


class Commands(TyperGroup):
    """The commands of schedlab."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run the command that the arguments name, and leave with its exit code."""
        settings["standalone_mode"] = False
        try:
            code = super().main(*arguments, **settings)
        except SchedlabError as error:
            _say(str(error))
            sys.exit(error.exit_code)
        except typer.TyperException as error:
            _say(_usage_error(error))
            sys.exit(error.exit_code)
        if code == INTERRUPTED:
            _say("interrupted")
        sys.exit(code or 0)


def _usage_error(error: typer.TyperException) -> str:
    """Typer's sentence and where to read on; empty where Typer has shown the help already."""
    sentence = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if not sentence or context is None:
        return sentence
    return f"{sentence[0].lower()}{sentence[1:]}; see {context.command_path} --help"


def _say(sentence: str) -> None:
    if sentence:
        typer.echo(f"schedlab: {' '.join(sentence.split())}", err=True)
