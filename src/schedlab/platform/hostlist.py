"""Host lists as schedulers write them: ``n[01-08,12],g2``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from schedlab.errors import InputError

MAX_HOSTS = 1_000_000
"""More than any cluster has: a longer list is a typing error."""

_PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)", re.ASCII | re.DOTALL)


@lru_cache(maxsize=65536)
def expand_hosts(text: str) -> tuple[str, ...]:
    """Return the names in a host list, in its order; blanks around them do not count."""
    if not text.strip():
        return ()
    hosts: list[str] = []
    for part in _parts(text):
        hosts.extend(_expand(part, text))
        if len(hosts) > MAX_HOSTS:
            raise InputError(f"host list {text!r} names more than {MAX_HOSTS:,} hosts")
    return tuple(hosts)


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in _PART.findall(text)]
    if ",".join(_PART.findall(text)) != text or not all(parts):
        raise InputError(f"host list {text!r} is broken; write for example n[01-08,12],g2")
    return parts


def _expand(part: str, text: str) -> Iterator[str]:
    literals = _BRACKETS.split(part)[::2]
    choices = [_numbers(inside, text) for inside in _BRACKETS.findall(part)]
    size = 1
    for each in choices:
        size *= len(each)
    if size > MAX_HOSTS:
        raise InputError(f"host list {text!r} names more than {MAX_HOSTS:,} hosts")
    for numbers in product(*choices):
        yield literals[0] + "".join(
            number + literal for number, literal in zip(numbers, literals[1:], strict=True)
        )


def _numbers(inside: str, text: str) -> list[str]:
    numbers: list[str] = []
    for piece in inside.split(","):
        match = _RANGE.fullmatch(piece.strip())
        if match is None:
            raise InputError(f"host list {text!r}: {piece!r} is not a number or range of numbers")
        low, high = match[1], match[2] or match[1]
        if not 0 <= int(high) - int(low) < MAX_HOSTS:
            raise InputError(f"host list {text!r}: the range {piece!r} is empty or too long")
        width = len(low)
        numbers.extend(f"{n:0{width}d}" for n in range(int(low), int(high) + 1))
    return numbers


def fold_hosts(hosts: Iterable[str]) -> str:
    """Return the names with ranges of their last numbers; each name once."""
    groups: dict[tuple[str, str], list[str]] = {}
    plain = []
    for host in dict.fromkeys(hosts):
        stem = host.rstrip("0123456789")
        if len(stem) < len(host):  # as in most names; the expression takes five times as long
            groups.setdefault((stem, ""), []).append(host[len(stem) :])
        elif match := _LAST_NUMBER.fullmatch(host):
            groups.setdefault((match[1], match[3]), []).append(match[2])
        else:
            plain.append(host)
    folded = [
        before + _ranges(_in_order(numbers)) + after for (before, after), numbers in groups.items()
    ]
    return ",".join(sorted(plain) + sorted(folded))


def _in_order(numbers: list[str]) -> list[str]:
    if len(set(map(len, numbers))) == 1:
        return sorted(numbers)  # texts of one length sort as their numbers do
    return sorted(numbers, key=lambda number: (int(number), len(number)))


def _ranges(numbers: list[str]) -> str:
    ranges: list[list[str]] = []
    following = ""
    for number in numbers:
        if number == following:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
        following = str(int(number) + 1).zfill(len(number))
    if ranges == [numbers[:1]]:
        return numbers[0]
    return "[" + ",".join("-".join(each) for each in ranges) + "]"
