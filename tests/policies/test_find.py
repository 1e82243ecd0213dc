"""Names of policies: what they mean, and the errors for wrong ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from schedlab import Order, Policy
from schedlab._core import order_names
from schedlab.errors import ParameterError, SchedlabError, UnknownNameError
from schedlab.policies import ALIASES, BACKFILLS, ORDERS, POLICIES, Queue, View, find_policy
from schedlab.policies.first_promises import FirstPromises
from schedlab.policies.standalone import STANDALONE
from schedlab.sim import simulate
from schedlab.testing.instances import crowd


class Widest(Order):
    """Widest first."""

    def score(self, queue: Queue) -> ArrayLike:
        """Return negative widths, since smaller scores go first."""
        return -queue.nodes


class Idle(Policy):
    """A policy that starts nothing."""

    def schedule(self, view: View) -> None:
        """Do nothing."""


def test_the_table_of_orders_is_that_of_the_core() -> None:
    """A name offered must exist, and what exists must be offered."""
    assert list(ORDERS) == [*order_names(), "wrsa", "linear"]


@pytest.mark.parametrize("name", POLICIES)
def test_every_name_of_the_table_gives_a_policy_of_that_name(name: str) -> None:
    """Every name on offer works."""
    recorded = find_policy(name).name
    assert recorded == name or ALIASES[recorded] == name


@pytest.mark.parametrize("name", POLICIES)
def test_every_entry_says_what_it_does_and_where_it_comes_from(name: str) -> None:
    """A policy without a sentence cannot be chosen by a reader."""
    entry = POLICIES[name]
    assert entry.sentence.endswith(".")
    assert entry.reference
    assert name in STANDALONE or "depth" in entry.parameters


def test_parameters_are_part_of_the_recorded_name() -> None:
    """Two results are comparable only if their names tell them apart."""
    assert find_policy("sjf+easy:backfill=saf,depth=7").name == "sjf+easy:backfill=saf,depth=7"


@pytest.mark.parametrize("name", ["wrsa", "wrsabf-or"])
def test_an_order_is_recorded_as_it_was_written(name: str) -> None:
    """A user who asks for one name does not look for another in the results."""
    assert find_policy(f"{name}:depth=3").name == f"{name}:depth=3"


def test_a_combination_with_a_short_name_is_recorded_by_it() -> None:
    """No one would notice the same policy twice in one table."""
    assert find_policy("fcfs+easy:depth=3").name == "easy:depth=3"


def test_a_depth_given_apart_is_recorded_too() -> None:
    """simulate(depth=...) and easy:depth=... are the same thing."""
    assert find_policy("easy", depth=9).name == "easy:depth=9"


def test_the_name_outweighs_a_depth_given_apart() -> None:
    """The more specific wish wins."""
    assert find_policy("easy:depth=3", depth=9).name == "easy:depth=3"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("eazy", UnknownNameError, 'did you mean "easy"?'),
        ("sjf+eezy", UnknownNameError, 'did you mean "sjf+easy"?'),
        ("easy:dept=3", UnknownNameError, 'did you mean "depth"?'),
        ("easy:depth=0", ParameterError, "must be an integer >= 1"),
        ("easy:depth=many", ParameterError, "must be an integer >= 1"),
        ("easy:backfill=sjff", UnknownNameError, 'did you mean "sjf"?'),
        ("easy:backfill", ParameterError, "easy:key=value"),
        ("easy:depth=3,backfill", ParameterError, 'parameter "backfill" has no value'),
        ("easy:depth=1,depth=2", ParameterError, 'parameter "depth" is given twice'),
        ("easy:depth=1,predict=actual,predict=request", ParameterError, '"predict" is given twice'),
        ("wrsa:beta=7", ParameterError, 'policy "wrsa": beta is "7"'),
        ("conservative:rebuild=yes", ParameterError, "must be true or false"),
        ("fcfs:rebuild=true", UnknownNameError, "rebuild"),
        ("reserve", UnknownNameError, 'unknown policy "reserve"'),
        ("conservative:promises=0", ParameterError, 'promises is "0"; must be an integer >= 1'),
        ("conservative:promises=1,rebuild=true", ParameterError, "omit rebuild=true"),
        ("conservative:promises=1,reserve=nodes", ParameterError, "omit reserve=nodes"),
        ("sjf+conservative:promises=1", ParameterError, "promises is for the order fcfs"),
        (f"{__name__}:Widest+conservative:promises=1", ParameterError, "for the order fcfs"),
        ("easy:promises=1", UnknownNameError, 'unknown parameter of easy: "promises"'),
        ("no_such_module:Thing", ParameterError, "No module named"),
        ("schedlab.errors:Nothing", ParameterError, "Nothing"),
        ("schedlab.errors:InputError", ParameterError, "must be a Policy or Order"),
        ("", UnknownNameError, "unknown policy"),
    ],
)
def test_a_wrong_name_gets_one_clear_sentence(
    text: str, error: type[SchedlabError], words: str
) -> None:
    """Typing errors are common; the answer should save a look into the manual."""
    with pytest.raises(error) as caught:
        find_policy(text)
    assert words in str(caught.value)


def test_an_outside_order_takes_any_backfilling() -> None:
    """Wherever a name is accepted, so is package.module:Class."""
    name = f"{__name__}:Widest+easy:depth=50"
    outside = simulate(crowd(), 16, name)
    assert outside.policy == name
    assert np.array_equal(outside.start_s, simulate(crowd(), 16, "lnf+easy:depth=50").start_s)


def test_a_number_of_promises_is_recorded_as_any_parameter() -> None:
    """It stands beside the depth, under the short name of the combination."""
    chosen = find_policy("fcfs+conservative:promises=2", depth=5)
    assert chosen.name == "conservative:depth=5,promises=2"
    assert chosen.parameters == {"depth": 5, "promises": 2}


@pytest.mark.parametrize("arguments", [{"promises": 0}, {"promises": 1, "depth": 0}])
def test_impossible_numbers_of_promises_in_code(arguments: dict[str, int]) -> None:
    """The same rules as in text."""
    with pytest.raises(ParameterError, match="must be >= 1"):
        FirstPromises(**arguments)


def test_an_outside_policy_takes_no_depth() -> None:
    """It decides by itself what it considers."""
    with pytest.raises(ParameterError, match="decides by itself"):
        find_policy(Idle, depth=3)


def test_backfills_are_listed_with_their_parameters() -> None:
    """The table is the documentation of what can be set."""
    assert set(BACKFILLS["easy"].parameters) == {"depth", "backfill", "max_priority_gap", "reserve"}
    assert set(BACKFILLS["conservative"].parameters) == {"depth", "rebuild", "reserve", "promises"}
