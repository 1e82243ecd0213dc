"""Measure everything in one run and print the table: ``python -m benchmarks.run [--record]``.

``--part shared`` measures only that part, and ``--record`` then renews only its rows. Simulations
are measured in seconds of the processor, since other programs may be busy beside them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.coalloc import coalloc
from benchmarks.environments import environments
from benchmarks.evolution import evolution
from benchmarks.files import files, start_up
from benchmarks.forecasts import forecasts
from benchmarks.history import history
from benchmarks.sensors import sensors
from benchmarks.simulation import (
    bare_rate,
    deciding,
    growth,
    overload,
    policies_and_peers,
    shared_nodes,
    whole_traces,
)
from benchmarks.slurm_twin import slurm_twin
from benchmarks.table import Row, record, show

SHARED = Path(__file__).parents[1].parent / "shared" / "data"

PARTS: dict[str, Callable[[Path, Path], list[Row]]] = {
    "files": lambda folder, data: files(folder),
    "policies": lambda folder, data: policies_and_peers(folder)[0],
    "traces": lambda folder, data: whole_traces(data / "swf"),
    "growth": lambda folder, data: growth(),
    "overload": lambda folder, data: overload(),
    "deciding": lambda folder, data: deciding(),
    "shared": lambda folder, data: shared_nodes(folder, data / "slurm"),
    "forecasts": lambda folder, data: forecasts(),
    "twin": lambda folder, data: slurm_twin(data / "slurm", folder),
    "environments": lambda folder, data: environments(),
    "evolution": lambda folder, data: evolution(),
    "coalloc": lambda folder, data: coalloc(),
    "history": lambda folder, data: history(folder),
    "sensors": lambda folder, data: sensors(folder),
    "start": lambda folder, data: start_up(),
}
"""The parts that can be measured alone, with a folder to write to and one with real traces."""


def main() -> None:
    """Measure, print, and record if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="later runs are compared with this")
    parser.add_argument(
        "--data", type=Path, default=SHARED, help="folder with real traces in swf and slurm"
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="all by default")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder, floor = Path(name), 0.0
        for part in PARTS if options.part is None else options.part:
            begun = time.monotonic()
            if part == "policies":  # in turn with the bare loop
                found, floor = policies_and_peers(folder)
            else:
                found = PARTS[part](folder, options.data)
            rows += found
            print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        floor = floor or bare_rate(folder)
    show(rows, floor)
    if options.record:
        record(rows, floor)


if __name__ == "__main__":
    main()
