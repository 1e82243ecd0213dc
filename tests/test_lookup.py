"""Names of implementations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedlab.errors import ParameterError, SchedlabError, UnknownNameError
from schedlab.lookup import find_class

TABLE: dict[str, type[Fraction]] = {"fraction": Fraction}


def test_a_name_of_the_table() -> None:
    """The table comes first."""
    assert find_class("number", "fraction", TABLE) is Fraction


def test_anybodys_class_needs_no_registration() -> None:
    """``package.module:Class`` is accepted wherever a name is."""
    assert find_class("number", "fractions:Fraction", {}) is Fraction


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("fracton", UnknownNameError, 'unknown number "fracton"; did you mean "fraction"'),
        ("no_such_module:Class", ParameterError, "No module named"),
        ("fractions:Friction", ParameterError, "has no attribute"),
        ("math:pi", ParameterError, "is not a class"),
        (":Class", UnknownNameError, "unknown number"),
    ],
)
def test_a_wrong_name_is_one_sentence(name: str, error: type[SchedlabError], sentence: str) -> None:
    """Typing errors are the commonest of all."""
    with pytest.raises(error, match=sentence):
        find_class("number", name, TABLE)
