"""Reports of mistakes: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from warnings import catch_warnings, simplefilter

import typer

from schedlab.cli.commands import Group
from schedlab.cli.signals import INTERRUPTED, ending
from schedlab.command_files import remembering_files
from schedlab.errors import OutputError, OutsideTrainingWarning, SchedlabError

_PLAINER = (
    (r"\. Did you mean", "; did you mean"),
    (r" \(Possible options: (.*)\)$", r"; near: \1"),
    (r"Value error, ", ""),
    (r"Input should be a valid integer\b.*", "must be a whole number"),
    (r"Input should be a valid number\b.*", "must be a number"),
    (r"Input should be greater than or equal to ", "must be >= "),
    (r"Input should be less than or equal to ", "must be <= "),
)
"""Typer's words, as patterns, and those of our other messages."""


class Commands(Group):
    """The commands of schedlab."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run the command that the arguments name, and leave with its exit code."""
        with remembering_files() as files, _doubts_in_one_line():
            code = self._run(*arguments, **{**settings, "standalone_mode": False})
        for path in files.replaced:
            _say(f"{path}: existed and was replaced")
        sys.exit(code)

    def _run(self, *arguments: Any, **settings: Any) -> int:
        """Run the command, and return the exit code."""
        try:
            code = super().main(*arguments, **settings)
            sys.stdout.flush()
        except SchedlabError as error:
            _say(str(error))
            return error.exit_code
        except typer.TyperException as error:
            _say(_usage_error(error))
            return error.exit_code
        except OSError as error:
            if error.filename is not None:
                raise  # not about standard output: a bug
            _say(f"standard output cannot be written: {(error.strerror or str(error)).lower()}")
            _drop_output()
            return OutputError.exit_code
        if code == INTERRUPTED:
            _say(ending())
        return code or 0


@contextmanager
def _doubts_in_one_line() -> Iterator[None]:
    """Print each warning of a network once, in one line as mistakes are, without code lines."""
    with catch_warnings():
        simplefilter("default", OutsideTrainingWarning)
        show = warnings.showwarning

        def in_one_line(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, OutsideTrainingWarning):
                _say(str(message))
            else:
                show(message, category, *where)

        warnings.showwarning = in_one_line  # type: ignore[assignment]
        yield


def _usage_error(error: typer.TyperException) -> str:
    """Return Typer's sentence and the help to read; empty if Typer has shown the help."""
    sentence = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if not sentence or context is None:
        return sentence
    for pattern, plain in _PLAINER:
        sentence = re.sub(pattern, plain, sentence)
    see = " See" if sentence.endswith("?") else "; see"
    return f"{sentence[0].lower()}{sentence[1:]}{see} {context.command_path} --help"


def _say(sentence: str) -> None:
    if sentence:
        typer.echo(f"schedlab: {' '.join(sentence.split())}", err=True)


def _drop_output() -> None:
    """Discard output that could not be written; Python would try to write it again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
