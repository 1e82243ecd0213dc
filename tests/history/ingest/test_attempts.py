"""Attempts at a job get the same numbers, however often and in whatever portions rows are read."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from schedlab.history.ingest.source import FORGET_AFTER_S, AttemptCounter

runs = st.lists(st.integers(1, 10_000), min_size=1, max_size=6, unique=True).map(sorted)


@given(runs, st.data())
def test_numbers_are_the_same_in_portions_and_again(begins: list[int], data: st.DataObject) -> None:
    """An ingest every hour must store what one ingest of everything would."""
    cut = data.draw(st.integers(0, len(begins)))
    attempts = AttemptCounter()

    def number(index: int) -> int:
        put_back = index < len(begins) - 1
        return attempts.number("one/7", begins[index], put_back=put_back)

    first = [number(index) for index in range(cut)]
    stored = json.dumps(attempts.known(begins[-1]))
    attempts = AttemptCounter(json.loads(stored))
    again = [number(index) for index in range(max(0, cut - 1), len(begins))]
    expected = list(range(1, len(begins) + 1))
    assert first == expected[:cut]
    assert again == expected[max(0, cut - 1) :]


def test_an_id_that_is_reused_begins_anew() -> None:
    """An id that comes back long after belongs to another job."""
    attempts = AttemptCounter()
    assert attempts.number("7", 1, put_back=True) == 1
    assert attempts.number("7", 100, put_back=False) == 2
    assert attempts.number("7", FORGET_AFTER_S + 2, put_back=False) == 1
    assert attempts.known(FORGET_AFTER_S + 2) == {}


def test_most_jobs_are_tried_once_and_cost_nothing() -> None:
    """Only jobs that were requeued are remembered."""
    attempts = AttemptCounter()
    assert attempts.number("1", 5, put_back=False) == 1
    assert attempts.known(5) == {}
