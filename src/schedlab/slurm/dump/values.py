"""Values as Slurm writes them, in slurm.conf and in what its commands print."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from schedlab.errors import ParameterError
from schedlab.units import parse_whole

_UNSET = frozenset({"", "(null)", "n/a", "none", "null", "(null type)"})
_ENDLESS = frozenset({"infinite", "unlimited", "-1"})
_CLOCK = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", re.ASCII)
_UNIT_WORD = re.compile(r"\s+(sec|min|usec|percent|nodes/min)$")
_PREFIXES = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)([kmgtp]?)b?", re.ASCII)
_YES, _NO = (
    frozenset({"yes", "1", "true", "up", "on"}),
    frozenset({"no", "0", "false", "down", "off"}),
)
_PART_LIMITS = {"yes": "ANY", "any": "ANY", "all": "ALL", "no": "NO"}
_SHORT_ENDLESS_S = 65534 * 60
"""The value of UNLIMITED where Slurm keeps minutes in 16 bits."""


ALWAYS_COUNTED = ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages")
"""Resources that Slurm always counts, whatever AccountingStorageTRES says."""


def is_unset(text: str) -> bool:
    """Return whether the text says that there is no value."""
    return text.strip().lower() in _UNSET


def is_endless(text: str) -> bool:
    """Return whether the text says that there is no limit."""
    return text.strip().lower() in _ENDLESS


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas, or with | as some parameters have."""
    if is_unset(text):
        return ()
    return tuple(word for word in re.split(r"[,|]", text.replace(" ", "")) if word)


def whole(text: str) -> int:
    """Return a whole number from 0 on; INFINITE is not one."""
    found = parse_whole(_UNIT_WORD.sub("", text.strip()))
    if found is None:
        raise ParameterError(f"is {text!r}; must be a whole number >= 0")
    return found


def limit(text: str) -> int | None:
    """Return a whole number; None where there is no limit."""
    return None if is_unset(text) or is_endless(text) else whole(text)


def minutes(text: str) -> int | None:
    """Return seconds in Slurm's times, whose plain numbers are minutes: ``90``, ``1-12:00:00``.

    None where the time is endless.
    """
    if is_unset(text) or is_endless(text):
        return None
    match = _CLOCK.fullmatch(_UNIT_WORD.sub("", text.strip()))
    if match is None:
        raise ParameterError(
            f"is {text!r}; must be minutes, INFINITE, or look like 30:00, 12:00:00 or 1-12:00:00"
        )
    days, *clock = match.groups()
    given = [int(each) for each in clock if each is not None]
    if days is not None:  # days-hours:minutes:seconds
        hours, mins, secs = [*given, 0, 0][:3]
        return int(days) * 86400 + hours * 3600 + mins * 60 + secs
    if len(given) == 1:
        return given[0] * 60
    seconds = 0
    for each in given:  # minutes:seconds or hours:minutes:seconds
        seconds = seconds * 60 + each
    return seconds


def rounded_minutes(text: str) -> int | None:
    """Read as ``minutes`` does; seconds count as a whole minute, as in Slurm's limits."""
    found = minutes(text)
    return None if found is None else -(-found // 60) * 60


def megabytes(text: str) -> int | None:
    """Return MiB in ``187000``, ``64G`` or ``1T``; None where there is no limit."""
    if is_unset(text) or is_endless(text) or text.strip() == "0":
        return None
    match = _MEMORY.fullmatch(text.strip().lower())
    if match is None:
        raise ParameterError(f"is {text!r}; must be megabytes, or look like 64G or 1T")
    power = _PREFIXES[match[2]] - 20 if match[2] else 0
    return round(float(match[1]) * 2.0**power)


def yes(text: str) -> bool:
    """Read YES or NO, 1 or 0."""
    said = text.strip().lower()
    if said in _YES or said in _NO:
        return said in _YES
    raise ParameterError(f"is {text!r}; must be YES or NO")


def amounts(text: str) -> dict[str, int]:
    """Read resources of ``cpu=100,mem=2T,gres/gpu:a100=4``; memory in MiB."""
    found: dict[str, int] = {}
    for name, amount in _pairs(text):
        if is_endless(amount):
            continue
        read = megabytes(amount) or 0 if name == "mem" else count(amount)
        found[name] = read
    return found


def weights(text: str) -> dict[str, float]:
    """Return weights of resources: ``CPU=1.0,Mem=0.25G``; that of memory is for each MiB."""
    found = {}
    for name, weight in _pairs(text):
        match = re.fullmatch(r"(\d*\.?\d+)([kmgtp]?)", weight.lower(), re.ASCII)
        if match is None:
            raise ParameterError(f"is {text!r}; {name} has the weight {weight!r}; must be a number")
        power = _PREFIXES[match[2]] - 20 if match[2] and name == "mem" else 0
        found[name] = float(match[1]) / 2.0**power
    return found


def count(text: str) -> int:
    """Return a number that may have a prefix: ``4``, ``2K``."""
    match = re.fullmatch(r"(\d+)([kmgtp]?)", text.strip().lower(), re.ASCII)
    if match is None:
        raise ParameterError(f"is {text!r}; must be a whole number >= 0")
    return int(match[1]) << _PREFIXES[match[2]]


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for word in words(text):
        name, equals, amount = word.partition("=")
        if not equals:
            raise ParameterError(f"is {text!r}; must look like cpu=100,gres/gpu=4")
        pairs.append((name.lower(), amount))
    return pairs


def _endless_seconds(text: str) -> int:
    found = minutes(text)
    return _SHORT_ENDLESS_S if found is None else found


def _time(text: str) -> int:
    """Return a time in seconds; 0 if it is unset or endless, such as ``NONE``."""
    return minutes(text) or 0


def _seconds(text: str) -> int:
    said = _UNIT_WORD.sub("", text.strip())
    return 0 if is_unset(said) or is_endless(said) else whole(said)


def _enforce(text: str) -> tuple[str, ...]:
    """Return the words of AccountingStorageEnforce, and those that they imply."""
    said = {word.lower() for word in words(text)}
    if "all" in said:
        said |= {"associations", "limits", "qos", "safe", "wckeys"}
    if said & {"limits", "qos", "safe", "wckeys"}:
        said.add("associations")
    if "safe" in said:
        said.add("limits")
    return tuple(sorted(said - {"all", "none", "0"}))


def _tres(text: str) -> tuple[str, ...]:
    """Return the resources that are counted: Slurm's own, and those that the site adds."""
    return tuple(dict.fromkeys((*ALWAYS_COUNTED, *(word.lower() for word in words(text)))))


def _part_limits(text: str) -> str:
    found = _PART_LIMITS.get(text.strip().lower())
    if found is None:
        raise ParameterError(f"is {text!r}; must be ALL, ANY, YES or NO")
    return found


def _cred_expire(text: str) -> int:
    found = re.search(r"cred_expire=(\d+)", text)
    return int(found[1]) if found else 120


def _path(text: str) -> str | None:
    return None if is_unset(text) else text.strip()


def _word(text: str) -> str:
    if not text.strip():
        raise ParameterError("has no value")
    return text.strip()


KINDS: dict[str, Callable[[str], Any]] = {
    "word": _word,
    "words": lambda text: tuple(word.upper() for word in words(text)),
    "tres": _tres,
    "plain words": words,
    "path": _path,
    "count": whole,
    "limit": limit,
    "seconds": _seconds,
    "plain minutes": lambda text: 60 * whole(text),
    "short minutes": _endless_seconds,
    "time": _time,
    "moment": lambda text: None if is_unset(text) else whole(text),
    "megabytes": megabytes,
    "weights": weights,
    "amounts": amounts,
    "yes": yes,
    "flag": lambda text: True if not text else yes(text),
    "enforce": _enforce,
    "part limits": _part_limits,
    "cred expire": _cred_expire,
}
"""How a value of each kind is read; an error says what the value is and what it must be."""
