"""Lines of slurm.conf and its like: comments, continued lines, Include, ``Key=Value`` pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import InputError
from schedlab.workload.readers.source import Source, decode

_COMMENT = re.compile(r"(?<!\\)#.*")
_INCLUDE = re.compile(r"\s*include\s+(.+?)\s*", re.IGNORECASE)
_PAIR = re.compile(
    r"""\s*([A-Za-z][\w.\[\]-]*)\s*[+-]?=\s*("(?:[^"\\]|\\.)*"|[^\s"]*(?:"[^"]*"[^\s"]*)*)(?=\s|$)"""
)


@dataclass(frozen=True)
class ConfLine:
    """The pairs of one line, in order, and where they stand."""

    path: Path
    number: int
    pairs: tuple[tuple[str, str], ...]

    def error(self, reason: str) -> InputError:
        """Return an error with the place of the line."""
        return InputError.at(self.path, self.number, reason)

    @property
    def where(self) -> str:
        """The place of the line for reports, such as ``slurm.conf:12``."""
        return f"{self.path.name}:{self.number}"


def conf_lines(path: Path, cluster: str = "") -> Iterator[ConfLine]:
    """Yield every line that is not empty; lines of included files take the place of Include."""
    yield from _lines(path, cluster, ())


def _lines(path: Path, cluster: str, above: tuple[Path, ...]) -> Iterator[ConfLine]:
    if path.resolve() in above:
        raise InputError(f"{path}: includes itself")
    for number, text in _logical_lines(path):
        if match := _INCLUDE.fullmatch(text):
            for each in _included(path, number, match[1].strip('"'), cluster):
                yield from _lines(each, cluster, (*above, path.resolve()))
            continue
        line = ConfLine(path, number, _pairs(path, number, text))
        for key, value in line.pairs:
            if key.lower() == "clustername":
                cluster = value
        yield line


def _logical_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines without comments; a line that ends with a backslash continues on the next."""
    source = Source.load(path)
    kept, first = "", 0
    for number, raw in enumerate(decode(source.data).splitlines(), 1):
        text = _COMMENT.sub("", raw).rstrip()
        first = first or number
        if text.endswith("\\"):
            kept += text[:-1]
            continue
        whole = (kept + text).strip()
        if whole:
            yield first, whole
        kept, first = "", 0
    if kept.strip():
        yield first, kept.strip()


def _included(path: Path, number: int, name: str, cluster: str) -> list[Path]:
    """Return the files of an Include.

    A file that is not at its path is looked for beside the including file, by its last name.
    """
    wanted = Path(name.replace("%c", cluster))
    folder = path.parent
    places = [folder / wanted, folder / wanted.name]
    for place in places:
        found = sorted(each for each in place.parent.glob(place.name) if each.is_file())
        if found:
            return found
    if any(sign in wanted.name for sign in "*?["):
        return []
    raise InputError.at(
        path, number, f"Include {name}: no such file; put it beside {path.name} in the folder"
    )


def _pairs(path: Path, number: int, text: str) -> tuple[tuple[str, str], ...]:
    pairs, at = [], 0
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            rest = text[at:].split()[0] if text[at:].split() else text
            raise InputError.at(path, number, f"{rest!r}; must look like Key=Value")
        pairs.append((match[1], match[2].replace('"', "")))
        at = match.end()
        while at < len(text) and text[at].isspace():
            at += 1
    return tuple(pairs)
