"""The random bits of the references."""

from __future__ import annotations

_BITS = (1 << 64) - 1


def mix(value: int) -> int:
    """Return the next number of SplitMix64."""
    value = (value + 0x9E3779B97F4A7C15) & _BITS
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _BITS
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _BITS
    return value ^ (value >> 31)
