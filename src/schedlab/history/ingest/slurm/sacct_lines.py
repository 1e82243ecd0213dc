"""Join lines that ``sacct`` prints into rows: a name may hold line ends and delimiters."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator

from schedlab.errors import InputError
from schedlab.history.ingest.clock import SiteClock
from schedlab.history.ingest.slurm.states import state_of
from schedlab.history.schema.fault import Fault

NEEDED = ("JobID", "State", "Submit", "Start", "End")
_FREE_TEXTS = ("JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine", "WorkDir")
_DELIMITER = re.compile(r"\w+(\x1f(?:[0-9a-f]+\x1f)?|\|)")
_JOB_ID = re.compile(r"\d+[\w+.\[\]]*")

Row = list[str]


def new_delimiter() -> str:
    """Return a separator drawn for each reading, so that no job name can contain it."""
    return f"\x1f{secrets.token_hex(8)}\x1f"


class Header:
    """The columns that the first line names, and their delimiter."""

    def __init__(self, line: str, label: str) -> None:
        found = _DELIMITER.match(line)
        self.delimiter = found[1] if found else "|"
        names = line.split(self.delimiter)
        self.is_closed = names[-1] == ""
        """Whether a delimiter ends each row, as ``--parsable`` writes it."""
        self.names = names[:-1] if self.is_closed else names
        self.width = len(names)
        lacking = [name for name in NEEDED if name not in names]
        if lacking:
            reason = f"no {', '.join(lacking)}; must be the header of sacct --parsable2"
            raise InputError.at(label, 1, reason)

    def place(self, name: str) -> int:
        """Return the position of the column, or -1 if there is none."""
        return self.names.index(name) if name in self.names else -1


def rows_in(
    numbered: Iterable[tuple[int, str]], header: Header, clock: SiteClock, label: str
) -> Iterator[tuple[int, Row] | Fault]:
    """Yield each row with the number of its first line; lines that make no row are a fault."""
    delimiter, width = header.delimiter, header.width
    folds = not header.is_closed and header.names[-1] == "SubmitLine"
    open_at, opened = 0, Row()
    for number, line in numbered:
        row = line.split(delimiter)
        if len(row) == width:
            if opened:
                yield _misfit(header, label, open_at, opened)
                opened = []
            yield number, row
            continue
        if not opened:
            if len(row) == 1 and (folds or not line):
                continue  # more of the last column, whose first line is enough
            open_at, opened = number, row
        else:
            opened[-1] += f"\n{row[0]}"
            opened += row[1:]
        if len(opened) >= width:
            whole = _mended(opened, header, clock)
            yield _misfit(header, label, open_at, opened) if whole is None else (open_at, whole)
            opened = []
    if opened:
        yield _misfit(header, label, open_at, opened)


def _mended(row: Row, header: Header, clock: SiteClock) -> Row | None:
    """Join the fields of a free text that contains delimiters; None if no way makes sense."""
    surplus = len(row) - header.width
    if surplus == 0:
        return row
    for at in (header.names.index(name) for name in _FREE_TEXTS if name in header.names):
        text = header.delimiter.join(row[at : at + surplus + 1])
        tried = [*row[:at], text, *row[at + surplus + 1 :]]
        if _makes_sense(tried, header, clock):
            return tried
    return None


def _makes_sense(row: Row, header: Header, clock: SiteClock) -> bool:
    jobid, state, *times = (row[header.place(name)] for name in NEEDED)
    try:
        state_of(state)
        for each in times:
            clock.moment(each)
    except ValueError:
        return False
    return _JOB_ID.fullmatch(jobid) is not None


def _misfit(header: Header, label: str, number: int, row: Row) -> Fault:
    at = header.place("JobID")
    whose = f"job {row[at]}: " if at < len(row) and _JOB_ID.fullmatch(row[at]) else ""
    fields, named = len(row) - header.is_closed, len(header.names)
    hint = "; ask sacct for --delimiter=$'\\x1f'" if fields > named else ""
    return Fault(
        f"{label}:{number}", f"{whose}{fields} fields where the header names {named}{hint}"
    )
