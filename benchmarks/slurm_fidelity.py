"""How close the twin is to runs of a real Slurm: ``python -m benchmarks.slurm_fidelity RUNS``.

Writes the figures of docs/design/slurm-twin.md, and prints its table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from schedlab import __version__
from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.fidelity import fidelity_of
from schedlab.slurm.replay import history_of, phases_of, replay, replay_all

FIGURES = Path(__file__).parents[1] / "docs" / "design" / "slurm-twin.json"
RUNS = (
    *("half-r1", "half-r2", "half-r3", "base-r1", "base-r2", "base-r3", "v1-bf10", "v2-builtin"),
    *("v3-age", "ft60-medium", "A-r1", "A-r2", "P-r1", "C-r1"),
)
PHASES = 8


def imported(run: Path, folder: Path) -> SlurmSite:
    """Import a run into a folder, and return its site."""
    schedlab = str(Path(sys.executable).with_name("schedlab"))
    command = [schedlab, "slurm", "import", str(run), "--out", str(folder / run.name)]
    subprocess.run(command, check=True, capture_output=True)
    return read_site(folder / run.name)


def measured(run: Path, folder: Path) -> dict[str, Any]:
    """Return the figures of one run."""
    site = imported(run, folder)
    clocks = history_of(site).clocks
    assert clocks is not None, "the run has a log"
    every = fidelity_of(site, [replay(site, clocks)]).rows[0]
    drawn = fidelity_of(site, replay_all(site, phases_of(site, PHASES))).rows[0]
    return {
        "jobs": every.jobs,
        "real_wait_s": round(every.real_wait_s, 1),
        "wait_error": round(every.wait_error, 4),
        "start_error_s": round(every.start_error_s.mean, 1),
        "near": round(every.near, 3),
        "drawn_wait_s": [
            round(each, 1)
            for each in (drawn.twin_wait_s.mean, drawn.twin_wait_s.least, drawn.twin_wait_s.most)
        ],
        "drawn_median_s": round(drawn.median_error_s.mean, 1),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the table of the page."""
    lines = [
        "| run | jobs | mean wait, real | twin, log | start ± | within 30 s | twin, 8 draws | "
        "median ± |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, each in figures["runs"].items():
        mean, least, most = each["drawn_wait_s"]
        lines.append(
            f"| {name} | {each['jobs']} | {each['real_wait_s']:,.0f} s | "
            f"{each['wait_error']:+.1%} | {each['start_error_s']:,.1f} s | {each['near']:.0%} | "
            f"{mean:,.0f} s ({least:,.0f} to {most:,.0f}) | {each['drawn_median_s']:,.0f} s |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure all runs, write the figures, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, help="folder with the runs of a real Slurm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = {each: measured(options.runs / each, Path(name)) for each in RUNS}
    figures = {"version": __version__, "phases": PHASES, "seed": 0, "runs": runs}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(table(figures))


if __name__ == "__main__":
    main()
