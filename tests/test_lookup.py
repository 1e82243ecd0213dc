"""Names of implementations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedlab.errors import ParameterError, SchedlabError, UnknownNameError
from schedlab.lookup import find_class, parse_parameters
from schedlab.workload.arguments import whole_number

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


def test_parameters_are_read_by_their_table() -> None:
    """The text after the colon of a name is read; blanks do not matter, and it may be empty."""
    known = {"depth": whole_number}
    assert parse_parameters("policy", "easy", " depth = 3", known) == {"depth": 3}
    assert parse_parameters("policy", "easy", "", known) == {}


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("dept=3", UnknownNameError, 'did you mean "depth"'),
        ("depth=deep", ParameterError, 'policy "easy": depth: "deep" is not a whole number'),
        ("depth", ParameterError, 'policy "easy": parameter "depth" has no value'),
        ("depth=", ParameterError, 'depth: "" is not a whole number'),
        ("depth=1,depth=2", ParameterError, 'policy "easy": parameter "depth" is given twice'),
    ],
)
def test_a_wrong_parameter_is_one_sentence(
    text: str, error: type[SchedlabError], sentence: str
) -> None:
    """It names the key and the value."""
    with pytest.raises(error, match=sentence):
        parse_parameters("policy", "easy", text, {"depth": whole_number})
