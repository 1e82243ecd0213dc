"""What Slurm's commands print: ``scontrol show``, and tables of ``sacctmgr -P``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from schedlab.errors import InputError
from schedlab.slurm.dump.conf import Block, Entry
from schedlab.workload.readers.source import Source, decode

_FIELD = re.compile(r"(?:^|\s)([A-Za-z][A-Za-z0-9_:/]*)=")
_SETTING = re.compile(r"([A-Za-z][\w\[\]]*)\s*=(?:\s(.*))?")


def read_config(path: Path) -> dict[str, Entry]:
    """Return the parameters that ``scontrol show config`` prints, by name in lower case."""
    found: dict[str, Entry] = {}
    for number, text in _lines(path):
        match = _SETTING.fullmatch(text.strip())
        if match:
            where = f"{path.name}:{number}"
            found[match[1].lower()] = Entry(match[1], (match[2] or "").strip(), where)
    if "slurm_version" not in found and len(found) < 20:
        raise InputError(f"{path}: is not what scontrol show config prints")
    return found


def read_shown(path: Path, first: str) -> list[Block]:
    """Return the records of ``scontrol show node`` and the like.

    Each begins with the key ``first``.
    """
    blocks: list[Block] = []
    for number, text in _lines(path):
        fields = _fields(text)
        if not fields:
            continue
        where = f"{path.name}:{number}"
        entries = {key.lower(): Entry(key, value, where) for key, value in fields}
        if first.lower() in entries:
            blocks.append(Block(entries.pop(first.lower()).value, where, entries))
        elif blocks:
            blocks[-1].entries.update(entries)
        else:
            raise InputError.at(path, number, f"{text.split()[0]!r}; must begin with {first}=")
    return blocks


def read_table(
    path: Path, *needed: str, lenient: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table with ``|`` between columns, each with its file and line.

    Names of columns are in lower case without blanks: ``Def QOS`` is ``defqos``. A row of another
    length is an error, or left out if ``lenient``.
    """
    lines = [(number, text) for number, text in _lines(path) if text.strip()]
    if not lines:
        return
    header = [name.strip().replace(" ", "").lower() for name in lines[0][1].split("|")]
    for name in needed:
        if name not in header:
            raise InputError.at(path, lines[0][0], f"the first line names no column {name}")
    for number, text in lines[1:]:
        row = text.split("|")
        if len(row) not in (len(header), len(header) + 1):
            if lenient:
                continue
            raise InputError.at(
                path, number, f"{len(row)} fields where the first line names {len(header)}"
            )
        yield f"{path.name}:{number}", dict(zip(header, row, strict=False))


def _fields(text: str) -> list[tuple[str, str]]:
    found = list(_FIELD.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [(m[1], text[m.end() : end].strip()) for m, end in zip(found, ends, strict=False)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    source = Source.load(path)
    yield from enumerate(decode(source.data).splitlines(), 1)
