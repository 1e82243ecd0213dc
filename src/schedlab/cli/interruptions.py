"""Failures of nodes and preemption, as people write them on a command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.command_files import input_file
from schedlab.errors import InputError, ParameterError, PlatformError

if TYPE_CHECKING:
    from schedlab.platform import Failure, Platform
    from schedlab.sim import Preemption
    from schedlab.workload import Workload

_COLUMNS = ("node", "at_s", "repair_s")
_DRAWN = ("up", "repair", "shape", "seed")


def failures_of(text: str | None, workload: Workload, platform: Platform) -> tuple[Failure, ...]:
    """Return the failures that a file lists, or that are drawn: ``up=30d,repair=4h,seed=3``."""
    if text is None:
        return ()
    if "=" not in text:
        return _read(Path(text), platform.nodes)
    from schedlab.platform import draw_failures
    from schedlab.units import parse_duration
    from schedlab.workload.arguments import number, whole_number

    given = _settings(text, _DRAWN)
    if "up" not in given or "repair" not in given:
        raise ParameterError(f'--failures is "{text}"; must have up= and repair=, the mean times')
    until_s = int(workload["submit_s"].max(initial=0) + workload["request_s"].max(initial=0))
    return draw_failures(
        platform.nodes,
        until_s,
        mean_up_s=parse_duration(given["up"]),
        mean_repair_s=parse_duration(given["repair"]),
        shape=number(given.get("shape", "1")),
        seed=whole_number(given.get("seed", "0")),
    )


def _settings(text: str, known: tuple[str, ...]) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in text.split(","):
        key, _, value = word.strip().partition("=")
        if key not in known or not value or key in given:
            raise ParameterError(
                f'--failures is "{text}"; "{word}" must be one of '
                + ", ".join(f"{each}=" for each in known)
            )
        given[key] = value
    return given


def _read(path: Path, nodes: int) -> tuple[Failure, ...]:
    """Return the failures of a CSV file with the columns node, at_s and repair_s."""
    from schedlab.platform import Failure, check_failures
    from schedlab.workload.arguments import whole_number

    try:
        with input_file(path).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if tuple(rows.fieldnames or ()) != _COLUMNS:
                raise InputError.at(path, 1, f"the header must be {','.join(_COLUMNS)}")
            found: list[Failure] = []
            for row in rows:
                try:
                    found.append(Failure(*(whole_number(row[name] or "") for name in _COLUMNS)))
                except (ParameterError, PlatformError) as error:
                    raise InputError.at(path, rows.line_num, str(error)) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    try:
        return check_failures(found, nodes)
    except PlatformError as error:
        raise InputError(f"{path}: {error}") from None


def preemption_of(rule: str | None, mode: str) -> Preemption | None:
    """Return the preemption by a rule: ``tier``, ``srpt``, or ``qos:high=1,low=0``."""
    if rule is None:
        return None
    from schedlab.sim import Preemption
    from schedlab.workload.arguments import whole_number

    by, _, tiers = rule.partition(":")
    given: Any = (word.partition("=") for word in tiers.split(",") if word)
    qos = {name.strip(): whole_number(tier) for name, _, tier in given}
    named: Any = by
    how: Any = mode
    return Preemption(named, how, qos)
