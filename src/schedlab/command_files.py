"""The files that a command reads and writes: it overwrites no input and lists what it replaces."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from schedlab.errors import InputError, OutputError

_Identity = tuple[int, int]
_BOTH = "this command reads it and would write over it; write to another file"


@dataclass
class CommandFiles:
    """The files a command has read, and the existing files it may replace or has replaced."""

    replaced: list[Path] = field(default_factory=list)
    _read: set[_Identity] = field(default_factory=set)
    _replaceable: dict[_Identity, Path] = field(default_factory=dict)


_commands: list[CommandFiles] = []  # at most one; outside a command no file is remembered


@contextmanager
def remembering_files() -> Iterator[CommandFiles]:
    """Remember the files that a command reads and writes, while it runs."""
    command = CommandFiles()
    _commands.append(command)
    try:
        yield command
    finally:
        _commands.remove(command)


def input_file(path: str | Path, *, or_dash: bool = False) -> Path:
    """Return the path of a file to read; refuse anything but a regular file.

    A device may never end, and a pipe without a writer blocks for ever.

    Args:
        path: of the file.
        or_dash: whether the error says that ``-`` is standard input.
    """
    path = Path(path)
    try:
        found = path.stat()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path}: is a directory; must be a file")
    if not stat.S_ISREG(found.st_mode):
        allowed = "a file, or - for standard input" if or_dash else "a file"
        raise InputError(f"{path}: is not a regular file; give {allowed}")
    for command in _commands:
        if _identity(found) in command._replaceable:
            raise InputError(f"{path}: {_BOTH}")
        command._read.add(_identity(found))
    return path


def read_secret(path: str | Path, what: str) -> str:
    """Return the password, token or URL that a file holds, without surrounding white space."""
    try:
        return input_file(path).read_text(encoding="utf-8").strip()
    except InputError as error:
        raise InputError(f"{what} {error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} {path}: must be UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{what} {path}: cannot be read: {error.strerror}") from None


def output_file(path: Path) -> None:
    """Note a file that the command will write; refuse one that it has read."""
    if not path.is_file():
        return
    identity = _identity(path.stat())
    for command in _commands:
        if identity in command._read:
            raise OutputError(f"{path}: {_BOTH}")
        command._replaceable[identity] = path


def note_replacing(found: os.stat_result) -> None:
    """Note that a file which the command has named as its output is replaced."""
    for command in _commands:
        path = command._replaceable.pop(_identity(found), None)
        if path is not None:
            command.replaced.append(path)


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino
