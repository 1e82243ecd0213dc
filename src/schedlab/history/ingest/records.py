"""From rows to records: what cannot be made is a fault, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError

from schedlab.errors import SchedlabError
from schedlab.history.schema.fault import Fault, faults_of
from schedlab.history.schema.job import JobRecord


def made(where: str, make: Callable[[], Iterable[JobRecord]]) -> Iterator[JobRecord | Fault]:
    """The records that ``make`` makes of the row at ``where``, or why it cannot."""
    try:
        yield from make()
    except ValidationError as error:
        yield from faults_of(error, where)
    except KeyError as error:
        yield Fault(where, f"{error.args[0]} is missing")
    except (SchedlabError, ValueError) as error:
        yield Fault(where, str(error))
    except (TypeError, AttributeError, IndexError, OverflowError) as error:
        yield Fault(where, f"cannot be understood: {error}")
