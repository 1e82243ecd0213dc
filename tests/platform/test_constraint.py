"""Constraints on the features of nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.platform.constraint import parse_constraint

words = st.sampled_from("abcd")
texts = st.recursive(
    words,
    lambda inner: st.tuples(inner, st.sampled_from("&|"), inner).map(lambda t: f"({' '.join(t)})"),
)


@pytest.mark.parametrize(
    ("text", "features", "fits"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a&b", "a", False),
        ("a & b", "ab", True),
        ("a|b&c", "a", True),
        ("(a|b)&c", "a", False),
        ("(a|b)&c", "bc", True),
    ],
)
def test_and_binds_more_closely_than_or(text: str, features: str, fits: bool) -> None:
    """This is as in most languages, unless parentheses say otherwise."""
    assert parse_constraint(text)(set(features)) is fits


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends too early"),
        ("a&", "ends too early"),
        ("(a|b", "ends too early"),
        ("(a b)", r"a \) is missing"),
        ("a b", r'expected & or \|, found "b"'),
        ("&a", 'expected a feature, found "&"'),
        ("a|)", r'expected a feature, found "\)"'),
        ("[a|b]", r"\[ \] .* is not supported; write a\|b"),
        ("a*2&b*1", r"\* .* is not supported"),
        ("a,b", "a comma is not supported; write & "),
    ],
)
def test_what_is_no_constraint_is_one_sentence(text: str, reason: str) -> None:
    """It quotes the text and says what is wrong; what only Slurm knows is refused."""
    with pytest.raises(WorkloadError, match=reason) as caught:
        parse_constraint(text)
    assert f'constraint is "{text}"' in str(caught.value)


@given(text=texts, features=st.sets(words))
def test_a_constraint_means_what_python_would_say(text: str, features: set[str]) -> None:
    """This holds for any nesting of and, or and parentheses."""
    python = text.replace("&", " and ").replace("|", " or ")
    expected = eval(python, {word: word in features for word in "abcd"})
    assert parse_constraint(text)(features) is expected
