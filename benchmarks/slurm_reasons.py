"""Why jobs wait in the twin, beside squeue of real runs.

Usage: python -m benchmarks.slurm_reasons RUNS

Writes the figures of docs/design/slurm-twin.md, and prints its table.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.slurm_fidelity import imported
from schedlab.slurm import SlurmSite
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.replay import history_of
from schedlab.slurm.waiting import Waiting, waiting_at

FIGURES = Path(__file__).parents[1] / "docs" / "design" / "slurm-reasons.json"
RUNS = (
    *("half-r1", "half-r2", "half-r3", "base-r1", "base-r2", "base-r3", "v1-bf10", "v2-builtin"),
    *("v3-age", "A-r1", "A-r2", "P-r1", "C-r1"),
)
Samples = dict[float, dict[str, str]]
"""The reasons that squeue gave, by moment and job."""


def measured(run: Path, folder: Path) -> dict[str, Any]:
    """Return the figures of one run."""
    site = imported(run, folder)
    clocks = history_of(site).clocks
    assert clocks is not None, "the run has a log"
    samples = _samples(run, site)
    twin = waiting_at(site, clocks, samples)
    pairs: Counter[tuple[str, str]] = Counter()
    for moment_s, told in samples.items():
        ours = _by_name(site, twin[moment_s])
        for name, reason in told.items():
            pairs[_kind(reason), _kind(ours.get(name.partition("_[")[0], ""))] += 1
    both = {pair: count for pair, count in pairs.items() if pair[1]}
    same = sum(count for (real, ours), count in both.items() if real == ours)
    rare = {pair: count for pair, count in both.items() if pair[0] != "Priority"}
    same_rare = sum(count for (real, ours), count in rare.items() if real == ours)
    apart = sorted(
        ((count, real, ours) for (real, ours), count in both.items() if real != ours), reverse=True
    )
    return {
        "moments": len(samples),
        "waiting": sum(pairs.values()),
        "waiting_in_both": sum(both.values()),
        "same": round(same / sum(both.values()), 4),
        "other_than_priority": sum(rare.values()),
        "same_of_those": round(same_rare / sum(rare.values()), 4) if rare else None,
        "apart": [f"{real}, in the twin {ours}: {count}" for count, real, ours in apart[:3]],
    }


def _samples(run: Path, site: SlurmSite) -> Samples:
    """Read samples of squeue, or of ``squeue --start``; waiting tasks of an array are one row."""
    found: Samples = {}
    clock = dict(line.split()[:2] for line in (run / "t0.txt").read_text().splitlines() if line)
    late_s = float(clock["t0_epoch"]) - (history_of(site).epoch_s or 0)
    path = next(p for name in ("squeue.csv", "squeue-start.csv") for p in run.glob(f"{name}*"))
    for _, row in read_table(path, "offset_s", "jobid", "state", "reason"):
        if row["state"] == "PENDING":
            found.setdefault(float(row["offset_s"]) + late_s, {})[row["jobid"]] = row["reason"]
    return found


def _by_name(site: SlurmSite, waiting: Waiting) -> dict[str, str]:
    """Return reasons by job, and by array: that of the first of its tasks."""
    names = history_of(site).details["slurm_id"].to_list()
    found: dict[str, str] = {}
    for place, reason in waiting.items():
        found[names[place]] = reason
        found.setdefault(names[place].partition("_")[0], reason)
    return found


def _kind(reason: str) -> str:
    """Return the reason without the nodes that it may name."""
    return reason.partition(",")[0]


def table(figures: dict[str, Any]) -> str:
    """Return the table of the page."""
    lines = [
        "| run | waiting jobs | same reason | other than Priority | same of those |",
        "|---|---|---|---|---|",
    ]
    for name, each in figures["runs"].items():
        lines.append(
            f"| {name} | {each['waiting_in_both']:,} | {each['same']:.1%} | "
            f"{each['other_than_priority']:,} | {each['same_of_those']:.0%} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure all runs, write the figures, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, help="folder with the runs of a real Slurm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = {each: measured(options.runs / each, Path(name)) for each in RUNS}
    figures = {"runs": runs}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(table(figures))


if __name__ == "__main__":
    main()
