"""The commonest mistakes in policies written in Python."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from schedlab import Order, Policy, simulate
from schedlab.errors import PolicyError
from schedlab.policies import Queue, View
from schedlab.testing.instances import crowd, head_blocked


class Constant(Order):
    """An order that returns the answer it was given."""

    def __init__(self, answer: ArrayLike) -> None:
        self.answer = answer

    def score(self, queue: Queue) -> ArrayLike:
        """Return the given answer."""
        return self.answer


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (None, "None"),
        ("abcd", "'abcd'"),
        (["1", "2", "3", "4"], r"\['1', '2', '3', '4'\]"),
        (["a long text"] * 4, "a list"),
        (
            [[1, 2], [3, 4], [5, 6], [7, 8]],
            r"\[\[1, 2\], \[3, 4\], \[5, 6\], \[7, 8\]\] of shape \(4, 2\)",
        ),
        (np.ones((4, 20)), r"a ndarray of shape \(4, 20\)"),
        (3.0, "3.0"),
        ([[1], [2, 3]], r"\[\[1\], \[2, 3\]\]"),
        ([1j] * 4, r"\[1j, 1j, 1j, 1j\]"),
    ],
)
def test_scores_must_be_a_row_of_numbers(answer: ArrayLike, what: str) -> None:
    """Texts that look like numbers and tables of numbers are mistakes too."""
    with pytest.raises(PolicyError, match=f"score returned {what}; must return one number per"):
        simulate(head_blocked(), 8, Constant(answer))


class Forgetful(Policy):
    """A policy whose own constructor does not call that of its base class."""

    def __init__(self, reluctance: int) -> None:
        self.reluctance = reluctance

    def schedule(self, view: View) -> None:
        """First come, first served."""
        for job in view.queue.job:
            if not view.fits(job):
                return
            view.start(job)


class ForgetfulOrder(Order):
    """An order whose own constructor does not call that of its base class."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def score(self, queue: Queue) -> ArrayLike:
        """Return scores that put the earliest job first."""
        return self.sign * queue.submit_s


@pytest.mark.parametrize("policy", [Forgetful(1), ForgetfulOrder(1)])
def test_a_constructor_need_not_call_the_one_above_it(policy: Policy | Order) -> None:
    """Not calling it is the commonest mistake in a first policy, so it must do no harm."""
    assert np.array_equal(
        simulate(crowd(), 16, policy).start_s, simulate(crowd(), 16, "fcfs").start_s
    )
