"""Numbers to try in options, files and functions: huge, negative, fractional, not finite.

The files test_any_number*.py try them wherever a number is taken.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

LONGEST_S = 60

# Below 2^41 a number may be meant: that number of jobs or steps may take long.
_HUGE = st.integers(2**41, 2**53) | st.integers(2**53, 10**40)
_DRAWN = st.one_of(
    _HUGE,
    _HUGE.map(lambda number: -number),
    st.integers(-10, 0),
    st.floats(-1e9, 1e9).filter(lambda number: not number.is_integer()),
    st.sampled_from([1e300, -1e300, 5e-324, float("nan"), float("inf"), float("-inf")]),
).map(str)
_ALWAYS = (str(2**53), str(2**63), "-1", "1.5", "nan")


def any_number(draws: int, *more: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test try texts for its argument ``number``: those above, ``more``, and drawn ones."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        tried: Any = given(number=_DRAWN)(test)
        for each in (*_ALWAYS, *more):
            tried = example(number=each)(tried)
        few = settings(
            max_examples=draws,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.function_scoped_fixture],
        )
        decorated: Callable[..., None] = few(tried)
        return decorated

    return decorate


def number_of(text: str) -> int | float:
    """Return the number as Python code would give it: a whole number stays one."""
    try:
        return int(text)
    except ValueError:
        return float(text)


@contextmanager
def ending() -> Iterator[None]:
    """Fail, instead of waiting for ever."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still at work after {LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
