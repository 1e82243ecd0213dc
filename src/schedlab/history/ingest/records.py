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


def part(model: type[Item], items: dict[str, Any]) -> Part:
    """The part of these items; where they are at fault, they themselves, for the record to refuse.

    Only the record knows the path of what is wrong.
    """
    try:
        return model.model_validate(items)
    except ValidationError:
        return items


def made(
    where: str, make: Callable[..., Sequence[JobRecord]], *given: Any
) -> Sequence[JobRecord | Fault]:
    """The records that ``make`` makes of what the row at ``where`` has given, or why it cannot."""
    try:
        return make(*given)
    except ValidationError as error:
        return list(faults_of(error, where))
    except KeyError as error:
        return [Fault(where, f"{error.args[0]} is missing")]
    except (SchedlabError, ValueError) as error:
        return [Fault(where, str(error))]
    except (TypeError, AttributeError, IndexError, OverflowError) as error:
        return [Fault(where, f"cannot be understood: {error}")]
