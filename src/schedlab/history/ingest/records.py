"""Turn rows into records; a row that makes no record becomes a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from schedlab.errors import SchedlabError
from schedlab.history.schema.fault import Fault, faults_of
from schedlab.history.schema.job import JobRecord
from schedlab.history.schema.timeline import Item

Part = Item | dict[str, Any]
"""A part of a record, or the items to make it from."""

SHARED_PARTS = 65_536
"""Maximum number of shared parts: many jobs have equal ones, and parts are never changed."""

UNUSABLE = (
    ValidationError,
    SchedlabError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
)
"""The errors that a row may cause when no record can be made of it."""


def part(model: type[Item], items: dict[str, Any]) -> Part:
    """Return the part made of these items, or the items themselves if they are faulty.

    The record then refuses them: only the record knows the path of what is wrong.
    """
    try:
        return model.model_validate(items)
    except ValidationError:
        return items


def made(
    where: str, make: Callable[..., Sequence[JobRecord]], *given: Any
) -> Sequence[JobRecord | Fault]:
    """Return the records that ``make`` makes of the row at ``where``, or why it cannot."""
    try:
        return make(*given)
    except UNUSABLE as error:
        return refusal(where, error)


def refusal(where: str, error: Exception) -> list[Fault]:
    """Return faults that say why the row at ``where`` makes no record."""
    match error:
        case ValidationError():
            return list(faults_of(error, where))
        case KeyError():
            return [Fault(where, f"{error.args[0]} is missing")]
        case SchedlabError() | ValueError():
            return [Fault(where, str(error))]
        case _:
            return [Fault(where, f"cannot be understood: {error}")]
