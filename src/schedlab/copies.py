"""Copies of Python objects that have a native part: policies, orders and predictors."""

from __future__ import annotations

from copy import deepcopy
from typing import TypeVar

T = TypeVar("T")


def clone_of(original: T) -> T:
    """Return a copy of the object; its attributes are copied deeply.

    ``__new__`` makes the native part, so it must do without arguments.
    """
    made = type(original).__new__(type(original))
    made.__dict__.update(deepcopy(original.__dict__))
    return made
