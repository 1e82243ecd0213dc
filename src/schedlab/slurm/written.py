"""Values of parameters as slurm.conf has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schedlab.slurm.dump.values import KINDS

DAY_S, HOUR_S, MINUTE_S = 86400, 3600, 60


def written(kind: str, value: Any) -> str:
    """Return the value as slurm.conf has it; ``KINDS[kind]`` reads it again."""
    return WRITERS.get(kind, str)(value)


def _time(seconds: int) -> str:
    days, rest = divmod(seconds, DAY_S)
    return f"{days}-{rest // HOUR_S:02}:{rest % HOUR_S // 60:02}:{rest % 60:02}"


def _short_minutes(seconds: int) -> str:
    return "UNLIMITED" if seconds == KINDS["short minutes"]("UNLIMITED") else _time(seconds)


def _weights(weights: dict[str, float]) -> str:
    return ",".join(f"{name}={weight:.12g}" for name, weight in weights.items())


WRITERS: dict[str, Callable[[Any], str]] = {
    "words": ",".join,
    "enforce": ",".join,
    "plain minutes": lambda seconds: str(seconds // MINUTE_S),
    "short minutes": _short_minutes,
    "time": _time,
    "megabytes": lambda amount: "UNLIMITED" if amount is None else str(amount),
    "weights": _weights,
    "yes": lambda value: "YES" if value else "NO",
    "flag": lambda value: "YES" if value else "NO",
    "cred expire": lambda seconds: f"cred_expire={seconds}",
}
"""Writers by kind, where ``str`` of a value is not the text in slurm.conf."""
