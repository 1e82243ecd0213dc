"""Utilities of values, for objectives that are computed in one pass, exactly.

Criteria in lexicographic order are one number: each criterion is a whole number, and one unit of an
earlier one weighs more than the whole range of the later ones. Cells are floating-point numbers
that hold these whole numbers exactly: of 4 bytes while no sum can reach 2^24, else of 8 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab._core import Combine
from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork, Variable
from schedlab.coalloc.node import Cells
from schedlab.coalloc.objective import Criterion
from schedlab.errors import ProblemError

EXACT_IN_4_BYTES = 2**24
EXACT_IN_8_BYTES = 2**53
LARGEST_CELL_BYTES = 8
DISTURBANCE_LEVELS = 64
"""The number of steps in which a unit of value is disturbed, where that is exact."""


@dataclass(frozen=True)
class Utilities:
    """For each job the utility of each of its values, and how those of several jobs combine."""

    tables: tuple[Cells, ...]
    combine: Combine
    unit: float
    """What one unit of utility is worth in the unit of the first criterion."""

    @property
    def bytes_per_cell(self) -> int:
        """The bytes of a cell of a message."""
        return self.tables[0].itemsize

    def keep(self, kept: Sequence[NDArray[np.bool_]]) -> Utilities:
        """Keep only these values of each job."""
        pairs = zip(self.tables, kept, strict=True)
        return replace(self, tables=tuple(table[mask] for table, mask in pairs))


def makespan_utilities(network: ConstraintNetwork) -> Utilities:
    """Return minus the last slot in use; a whole is as good as its worst part."""
    ends = [(each.starts + (each.slots - 1)).astype(float) for each in network.variables]
    largest = int(max(table.max(initial=0) for table in ends))
    return Utilities(_cells([-table for table in ends], largest), Combine.WORST, -1.0)


def sum_utilities(
    network: ConstraintNetwork, values: Sequence[float], criteria: Sequence[Criterion]
) -> Utilities:
    """Return total value and minus the sum of starts, one or both, the earlier before the later."""
    whole, scale = integral_values(values)
    ranges = {"value": sum(whole), "sum-of-starts": sum(map(_last, network.variables))}
    weights, largest = _weights([ranges[criterion] for criterion in criteria])
    if largest >= EXACT_IN_8_BYTES:
        raise ProblemError(
            f"objective {','.join(criteria)}: the values of the jobs have too many digits to "
            "compare their sums exactly; round them"
        )
    tables = [
        sum(
            (
                weight * _utility(criterion, variable, value)
                for criterion, weight in zip(criteria, weights, strict=True)
            ),
            start=np.zeros(len(variable.starts)),
        )
        for variable, value in zip(network.variables, whole, strict=True)
    ]
    unit = 1 / scale if criteria[0] == "value" else -1.0
    return Utilities(_cells(tables, largest), Combine.SUM, unit / weights[0])


def disturbed_values(
    network: ConstraintNetwork, values: Sequence[float], share: float, random: np.random.Generator
) -> Utilities:
    """Return total value, with up to that share of the mean value added to each start by chance.

    Whole numbers are added, so that sums stay exact.
    """
    whole, scale = integral_values(values)
    weight = DISTURBANCE_LEVELS if sum(whole) * DISTURBANCE_LEVELS < EXACT_IN_8_BYTES // 2 else 1
    most = max(1, round(share * weight * sum(whole) / len(whole)))
    tables = [
        weight * _utility("value", variable, value)
        + random.integers(0, most, len(variable.starts), endpoint=True)
        for variable, value in zip(network.variables, whole, strict=True)
    ]
    largest = weight * sum(whole) + most * len(whole)
    return Utilities(_cells(tables, largest), Combine.SUM, 1 / (scale * weight))


def _weights(ranges: Sequence[int]) -> tuple[list[int], int]:
    """Return weights that let one unit of each outweigh all later ones, and the largest sum."""
    weights, total = [], 0
    for each in reversed(ranges):
        weights.append(total + 1)
        total += weights[-1] * each
    return weights[::-1], total


def _utility(criterion: Criterion, variable: Variable, value: int) -> NDArray[np.float64]:
    if criterion == "value":
        return np.where(variable.starts == LEFT_OUT, 0.0, float(value))
    return -variable.starts.astype(float)


def _last(variable: Variable) -> int:
    return int(variable.starts[-1]) if len(variable.starts) else 0


def _cells(tables: Sequence[NDArray[np.float64]], largest: int) -> tuple[Cells, ...]:
    if largest < EXACT_IN_4_BYTES:
        return tuple(table.astype(np.float32) for table in tables)
    return tuple(tables)
