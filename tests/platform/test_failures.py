"""Lists of failures: what they may hold, and what is drawn."""

from __future__ import annotations

import pytest

from schedlab.errors import PlatformError
from schedlab.platform import Failure, check_failures, draw_failures

DAY_S = 86_400


def test_drawn_failures_have_the_mean_that_was_asked_for() -> None:
    """2,000 nodes, each up for ten days and down for one: a failure every eleven days each."""
    for shape in (0.7, 1.0, 3.0):
        drawn = draw_failures(
            2000, 110 * DAY_S, mean_up_s=10 * DAY_S, mean_repair_s=DAY_S, shape=shape, seed=4
        )
        renewals = 2000 * 110 / 11
        assert len(drawn) == pytest.approx(renewals, rel=0.07)
        assert {each.repair_s for each in drawn} == {DAY_S}


def test_drawn_repairs_may_differ() -> None:
    """Repairs with a shape of their own have their mean, too."""
    drawn = draw_failures(
        2000, 50 * DAY_S, mean_up_s=10 * DAY_S, mean_repair_s=3600, repair_shape=1.0
    )
    assert sum(each.repair_s for each in drawn) / len(drawn) == pytest.approx(3600, rel=0.05)
    assert len({each.repair_s for each in drawn}) > 1000


def test_a_seed_gives_the_same_failures_and_a_later_end_only_more() -> None:
    """So runs of different length can be compared."""
    short, long = (
        draw_failures(9, until_s, mean_up_s=50, mean_repair_s=5, seed=1) for until_s in (500, 900)
    )
    assert short == tuple(each for each in long if each.at_s < 500)
    assert short != draw_failures(9, 500, mean_up_s=50, mean_repair_s=5, seed=2)
    assert list(long) == sorted(long, key=lambda each: (each.at_s, each.node))


def test_failures_come_in_order_of_time() -> None:
    """The order of the list does not matter."""
    assert check_failures([Failure(1, 9, 1), Failure(0, 3, 6), Failure(0, 9, 1)], 2) == (
        Failure(0, 3, 6),
        Failure(0, 9, 1),
        Failure(1, 9, 1),
    )


@pytest.mark.parametrize(
    ("failures", "reason"),
    [
        ([(2, 0, 1)], "node 2 fails; must be 0 to 1"),
        ([(0, 5, 9), (0, 13, 1)], "node 0 fails at 13 s; must be up, which it is at 14 s"),
        ([(0, -5, 9)], "at_s is -5; must be a whole number >= 0"),
    ],
)
def test_a_list_that_can_not_be_is_refused(
    failures: list[tuple[int, int, int]], reason: str
) -> None:
    """One sentence says which failure is wrong."""
    with pytest.raises(PlatformError, match=reason):
        check_failures([Failure(*each) for each in failures], 2)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"mean_up_s": 0}, "mean_up_s is 0; must be > 0"),
        ({"shape": -1.0}, "shape is -1; must be > 0"),
        ({"seed": -1}, "seed is -1; must be a whole number >= 0"),
    ],
)
def test_what_can_not_be_drawn_is_refused(wrong: dict[str, float], reason: str) -> None:
    """The error comes before anything is drawn."""
    asked = {"mean_up_s": 5, "mean_repair_s": 5, **wrong}
    with pytest.raises(PlatformError, match=reason):
        draw_failures(3, 100, **asked)  # type: ignore[arg-type]
