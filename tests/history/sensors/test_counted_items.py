"""Items that count events, such as floating point operations."""

from __future__ import annotations

import pytest

from schedlab.errors import SchedlabError
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import ItemSection
from schedlab.platform import NodeType


@pytest.mark.parametrize(
    ("kind", "unit", "factor"), [("counter", "1", 1.0), ("gauge", "Gflop/s", 1e9)]
)
def test_operations_are_rates_whose_integral_counts(kind: str, unit: str, factor: float) -> None:
    """The timeline is per second, whether the source counts operations or gives their rate."""
    section = ItemSection(name="flop_count", kind=kind, unit=unit)
    assert (section.item.unit, section.item.integral_unit) == ("1/s", "1")
    rate = section.in_base_unit(Series.of_intervals([0], [10], [2.0], unit=unit, source="test"))
    assert rate.mean.tolist() == [2.0 * factor]
    assert rate.unit == "1/s"


def test_a_number_of_things_is_no_rate() -> None:
    """A number of processes does not add up over time."""
    section = ItemSection(name="process_count", unit="1")
    assert (section.item.unit, section.item.integral_unit) == ("1", None)


@pytest.mark.parametrize("key", ["peak_flop_per_s", "memory_byte_per_s"])
def test_a_node_can_do_something(key: str) -> None:
    """The peaks of a node must be above 0, as they are the roofs of the roofline."""
    with pytest.raises(SchedlabError, match=f"{key} is 0; must be > 0"):
        NodeType(**{key: 0.0})  # type: ignore[arg-type]
