"""From rows to records: what cannot be made is a fault, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from schedlab.errors import SchedlabError
from schedlab.history.schema.fault import Fault, faults_of
from schedlab.history.schema.job import JobRecord
from schedlab.history.schema.timeline import Item

Part = Item | dict[str, Any]
"""A part of a record, or what it is to be made of."""

SHARED_PARTS = 65_536
"""Parts of records that a source keeps at most: many jobs have the same, and none is changed."""

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
"""What a row that makes no record is met with."""


def part(model: type[Item], items: dict[str, Any]) -> Part:
    """Return the part of these items.

    Where they are at fault, they themselves, for the record to refuse.

    Only the record knows the path of what is wrong.
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
    """Return why the row at ``where`` makes no record, of what one of ``UNUSABLE`` says."""
    match error:
        case ValidationError():
            return list(faults_of(error, where))
        case KeyError():
            return [Fault(where, f"{error.args[0]} is missing")]
        case SchedlabError() | ValueError():
            return [Fault(where, str(error))]
        case _:
            return [Fault(where, f"cannot be understood: {error}")]
