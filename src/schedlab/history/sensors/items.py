"""What a sensor item measures: the unit its name ends in, and what may be done with its values."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import ParameterError, UnknownNameError


@dataclass(frozen=True)
class Unit:
    """A unit as a multiple of the base unit of its dimension."""

    base: str
    factor: float
    offset: float = 0.0


def _powers(base: str, prefixes: str, step: int, first: int) -> dict[str, Unit]:
    return {f"{p}{base}": Unit(base, float(step) ** (first + n)) for n, p in enumerate(prefixes)}


_BYTES = {"B": Unit("B", 1.0)} | _powers("B", "kMGTP", 1000, 1)
_BYTES |= {f"{p}iB": Unit("B", 1024.0**n) for n, p in enumerate("KMGTP", 1)}

UNITS: dict[str, Unit] = {
    "W": Unit("W", 1.0),
    **_powers("W", "kMG", 1000, 1),
    "mW": Unit("W", 1e-3),
    "uW": Unit("W", 1e-6),
    "J": Unit("J", 1.0),
    **_powers("J", "kMG", 1000, 1),
    "mJ": Unit("J", 1e-3),
    "uJ": Unit("J", 1e-6),
    "Wh": Unit("J", 3600.0),
    "kWh": Unit("J", 3.6e6),
    **_BYTES,
    **{f"{name}/s": Unit("B/s", unit.factor) for name, unit in _BYTES.items()},
    "bit": Unit("B", 1 / 8),
    "bit/s": Unit("B/s", 1 / 8),
    "Mbit/s": Unit("B/s", 1e6 / 8),
    "Gbit/s": Unit("B/s", 1e9 / 8),
    "%": Unit("%", 1.0),
    "ratio": Unit("%", 100.0),
    "Hz": Unit("Hz", 1.0),
    **_powers("Hz", "kMG", 1000, 1),
    "degC": Unit("degC", 1.0),
    "K": Unit("degC", 1.0, -273.15),
    "degF": Unit("degC", 5 / 9, -160 / 9),
    "s": Unit("s", 1.0),
    "ms": Unit("s", 1e-3),
    "rpm": Unit("rpm", 1.0),
    "1": Unit("1", 1.0),
    "1/s": Unit("1/s", 1.0),
    "flop/s": Unit("1/s", 1.0),
    **{f"{p}flop/s": Unit("1/s", 1e3**n) for n, p in enumerate("kMGTP", 1)},
}

PER_SECOND = {"J": "W", "B": "B/s", "s": "%", "1": "1/s"}

SUFFIXES = {
    "watt": "W",
    "joule": "J",
    "bytes": "B",
    "percent": "%",
    "hz": "Hz",
    "celsius": "degC",
    "sec": "s",
    "rpm": "rpm",
    "count": "1",
}

# Parts of a host that an item may belong to; they stand before the dot of its name.
PARTS = ("", "accelerator", "storage")

# Amounts whose names would also fit a level: "bytes" says what was moved, not what is held.
_AMOUNTS = ("communication_bytes", "io_bytes", "storage.access_bytes")


@dataclass(frozen=True)
class SensorItem:
    """One timeline item of the job history.

    Args:
        name: as in the schema, with dots: ``accelerator.utilization_percent``.
        unit: base unit of the timeline's values.
        integral_unit: unit of the integral over time; None if it has no meaning.
        additive: whether the values of jobs that share a node add up to that of the node.
    """

    name: str
    unit: str
    integral_unit: str | None
    additive: bool

    @property
    def of_device(self) -> bool:
        """Whether each accelerator of a host has its own timeline."""
        return self.name.startswith("accelerator.")


def find_unit(name: str) -> Unit:
    """Return the unit of that name."""
    if name not in UNITS:
        raise UnknownNameError("unit", name, UNITS)
    return UNITS[name]


def describe(name: str, base: str | None = None) -> SensorItem:
    """Return the item of that name, whose last word is its unit.

    Args:
        name: name in the paper, or a site's own name that follows the same rule.
        base: base unit of what the sensor gives; it tells amounts per second from amounts held.
    """
    part, _, rest = name.rpartition(".")
    if part not in PARTS or not rest:
        raise ParameterError(f'item "{name}" is of no part of a host; known: accelerator, storage')
    suffix = name.rsplit("_", 1)[-1]
    if suffix not in SUFFIXES:
        raise ParameterError(
            f'item "{name}" does not end in its unit; known: {", ".join(f"_{s}" for s in SUFFIXES)}'
        )
    unit = SUFFIXES[suffix]
    rate = PER_SECOND.get(unit)
    is_amount = unit == "J" or name in _AMOUNTS
    if is_amount or (rate is not None and base == rate and unit != "s"):
        return SensorItem(name, str(rate), unit, additive=True)
    integral = "J" if unit == "W" else None
    additive = unit in ("W", "B") or name == "used_cpu_percent"
    return SensorItem(name, unit, integral, additive)
