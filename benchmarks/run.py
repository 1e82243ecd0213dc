"""Measure everything in one run and print the table: ``python -m benchmarks.run [--record]``."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.coalloc import coalloc
from benchmarks.environments import environments
from benchmarks.evolution import evolution
from benchmarks.files import files, start_up
from benchmarks.forecasts import forecasts
from benchmarks.history import history
from benchmarks.sensors import sensors
from benchmarks.simulation import (
    deciding,
    growth,
    overload,
    policies_and_peers,
    shared_nodes,
    whole_traces,
)
from benchmarks.slurm_twin import slurm_twin
from benchmarks.table import record, show

SHARED = Path(__file__).parents[1].parent / "shared" / "data"


def main() -> None:
    """Measure, print, and record if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="later runs are compared with this")
    parser.add_argument(
        "--data", type=Path, default=SHARED, help="folder with real traces in swf and slurm"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on_files = files(folder)  # first: a child's size counts from that of its parent
        rows, floor = policies_and_peers(folder)
        rows += whole_traces(options.data / "swf") + growth() + overload() + deciding()
        rows += shared_nodes(folder) + forecasts()
        rows += slurm_twin(options.data / "slurm", folder)
        rows += environments() + evolution() + coalloc()
        rows += on_files + history(folder) + sensors(folder) + start_up()
    show(rows, floor)
    if options.record:
        record(rows, floor)


if __name__ == "__main__":
    main()
