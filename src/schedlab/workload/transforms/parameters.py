"""Parameters of transforms as text: ``"0s:10d"``, ``"random:0.5"``, ``"drop:1024"``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.units import parse_bytes, parse_duration
from schedlab.workload.arguments import number, whole_number

_TOTALS: dict[str, tuple[str, Callable[[str], int]]] = {
    "cores": ("cores", whole_number),
    "memory": ("memory_bytes", parse_bytes),
    "gpus": ("gpus", whole_number),
}
"""What a machine has beside nodes: the argument of ``scale_load``, and how it is read."""


def job_range(text: str) -> dict[str, int | None]:
    """Read ``"1000:2000"``; either end may be left out."""
    start, stop = _two_parts(text)
    return {
        "start": whole_number(start) if start else 0,
        "stop": whole_number(stop) if stop else None,
    }


def time_range(text: str) -> dict[str, int | None]:
    """Read ``"0s:10d"``; either end may be left out."""
    start, stop = _two_parts(text)
    return {
        "start_s": parse_duration(start) if start else 0,
        "end_s": parse_duration(stop) if stop else None,
    }


def pauses(text: str) -> dict[str, int]:
    """Read ``"10d:1h"``: how long submissions go on, and how long the pause after them is."""
    after, pause = _two_parts(text)
    return {"after_s": parse_duration(after), "pause_s": parse_duration(pause)}


def ratio(text: str) -> dict[str, Any]:
    """Read ``"0.5"`` for every job, or ``"random:0.5"`` for a mean."""
    kind, colon, mean = text.partition(":")
    if not colon:
        return {"ratio": number(text)}
    if kind != "random":
        raise ParameterError(f'"{kind}" is not a way to draw ratios; only "random" is')
    return {"ratio": number(mean), "random": True}


def oversize(text: str) -> dict[str, Any]:
    """Read ``"drop:1024"``."""
    what, nodes = _two_parts(text)
    return {"what": what, "nodes": whole_number(nodes)}


def load(text: str) -> dict[str, Any]:
    """Read ``"0.9:256"``, or ``"0.9:1000,cores=64000,memory=250TiB,gpus=1000"``."""
    target, machine = _two_parts(text)
    nodes, *totals = (part.strip() for part in machine.split(","))
    found: dict[str, Any] = {"load": number(target), "nodes": whole_number(nodes)}
    for name, _, amount in (total.partition("=") for total in totals):
        if name not in _TOTALS:
            raise UnknownNameError("resource of load", name, _TOTALS)
        key, read = _TOTALS[name]
        found[key] = read(amount)
    return found


def resample(text: str) -> dict[str, Any]:
    """Read ``"10000"`` or ``"10000:weeks"``."""
    jobs, colon, unit = text.partition(":")
    return {"jobs": whole_number(jobs), **({"unit": unit} if colon else {})}


def fill(text: str) -> dict[str, Any]:
    """Read ``"1.3:6212"``: a multiple, and a number of GPUs."""
    times, gpus = _two_parts(text)
    return {"times": number(times), "gpus": whole_number(gpus)}


def _two_parts(text: str) -> tuple[str, str]:
    first, colon, second = text.partition(":")
    if not colon:
        raise ParameterError(f'"{text}" has no colon')
    return first.strip(), second.strip()
