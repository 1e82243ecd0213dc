"""The features that a job wants of its nodes: ``a&(b|c)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from schedlab.errors import WorkloadError

Constraint = Callable[[Collection[str]], bool]
"""A test whether a node with these features is allowed."""

_TOKENS = re.compile(r"\s*([&|()]|[^\s&|()]+)")
_REFUSED = {
    "[": "[ ] (the same feature on all nodes) is not supported; write a|b",
    "*": "* (a number of nodes for each feature) is not supported; write a|b",
    ",": "a comma is not supported; write & (and) or | (or)",
}


def parse_constraint(text: str) -> Constraint:
    """Return the test that the text stands for; ``&`` binds more closely than ``|``."""
    for sign, reason in _REFUSED.items():
        if sign in text:
            raise WorkloadError(f'constraint is "{text}": {reason}')
    tokens = _TOKENS.findall(text)
    try:
        found = _any(tokens)
    except IndexError:
        raise WorkloadError(f'constraint is "{text}": it ends too early') from None
    except ValueError as error:
        raise WorkloadError(f'constraint is "{text}": {error}') from None
    if tokens:
        raise WorkloadError(f'constraint is "{text}": expected & or |, found "{tokens[0]}"')
    return found


def _any(tokens: list[str]) -> Constraint:
    tests = [_all(tokens)]
    while tokens[:1] == ["|"]:
        tokens.pop(0)
        tests.append(_all(tokens))
    return lambda features: any(test(features) for test in tests)


def _all(tokens: list[str]) -> Constraint:
    tests = [_one(tokens)]
    while tokens[:1] == ["&"]:
        tokens.pop(0)
        tests.append(_one(tokens))
    return lambda features: all(test(features) for test in tests)


def _one(tokens: list[str]) -> Constraint:
    token = tokens.pop(0)
    if token == "(":
        inside = _any(tokens)
        if tokens.pop(0) != ")":
            raise ValueError("a ) is missing")
        return inside
    if token in "&|)":
        raise ValueError(f'expected a feature, found "{token}"')
    return lambda features: token in features
