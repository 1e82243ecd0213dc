"""Numbers from a trace's header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

INFERRED = "inferred from the jobs"
"""Marks a size in a header that was not given, but counted from what jobs used."""


def inferred(count: int) -> str:
    """Return a size that was counted in the jobs, as the value of a key."""
    return f"{count} ({INFERRED})"


def header_int(header: Mapping[str, Sequence[str]], key: str) -> int | None:
    """Return the first integer in the values of a key.

    ``338 (batch partition; 512 total)`` gives 338.

    None if the key is absent or none of its values holds an integer.
    """
    for value in header.get(key, ()):
        match = re.search(r"-?\d+", value)
        if match:
            return int(match[0])
    return None
