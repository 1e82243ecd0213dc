"""The table of figures, and the last recorded one beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from schedlab import __version__

RECORDED = Path(__file__).parent / "recorded.json"


@dataclass(frozen=True)
class Row:
    """One figure; ``target`` is what it should reach, upwards for rates, downwards for the rest."""

    name: str
    value: float
    unit: str
    target: float | None = None

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    def speed(self, floor: float) -> float:
        """Return the speed in units of the bare loop on this machine at this moment."""
        return self.value / floor if self.is_rate else 1 / (self.value * floor)

    def reached(self) -> bool:
        """Return whether the target is met."""
        if self.target is None:
            return True
        return self.value >= self.target if self.is_rate else self.value <= self.target


def show(rows: list[Row], floor: float) -> None:
    """Print the figures with their ratios to the bare loop and to the recorded run."""
    recorded: dict[str, Any] = {"version": "-", "rows": {}}
    if RECORDED.exists():
        recorded = json.loads(RECORDED.read_text())
    table = Table(title=f"schedlab {__version__}; bare C++ loop {floor:,.0f} jobs/s")
    for column in ("figure", "value", "target", "/ bare loop", f"/ recorded {recorded['version']}"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    for row in rows:
        then = recorded["rows"].get(row.name)
        rate_of_jobs = row.unit == "jobs/s"
        table.add_row(
            row.name,
            f"{row.value:,.0f} {row.unit}" if row.value >= 100 else f"{row.value:.3g} {row.unit}",
            "" if row.target is None else f"{row.target:,g} {'ok' if row.reached() else 'MISSED'}",
            f"{row.value / floor:.4g}" if rate_of_jobs else "",
            f"{row.speed(floor) / then:.2f}" if then and row.unit not in ("MB", "%") else "",
        )
    Console(width=110).print(table)


def record(rows: list[Row], floor: float) -> None:
    """Record these rows, with which later runs are compared; keep the others as they are."""
    before = json.loads(RECORDED.read_text())["rows"] if RECORDED.exists() else {}
    now = {row.name: row.speed(floor) for row in rows}
    kept = {"version": __version__, "rows": before | now}
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n")
