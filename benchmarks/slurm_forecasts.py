"""Forecasts through the twin beside ``squeue --start`` of real runs, as JSON.

Usage: python -m benchmarks.slurm_forecasts RUNS
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.files import seconds
from schedlab.analysis.forecast_scores import pinball
from schedlab.sim.forecast import FORECAST_LEVELS
from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.forecast import TwinForecaster

FIGURES = Path(__file__).parents[1] / "docs" / "design" / "slurm-forecasts.json"
"""The file from which the page takes the figures."""
RUNS = ("half-r1", "half-r2", "half-r3", "base-r1", "base-r2", "base-r3", "v1-bf10", "v3-age")
FIRST_S = 120.0
"""No forecast is scored before this time: hardly any job has ended."""
NOT_TOLD = "N/A"


def main(runs: Path) -> None:
    """Print the scores of all runs."""
    schedlab = str(Path(sys.executable).with_name("schedlab"))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            place = Path(folder) / name
            seconds(schedlab, "slurm", "import", str(runs / name), "--out", str(place))
            found[name] = scored(read_site(place), runs / name)
            print(name, found[name], file=sys.stderr)
    print(json.dumps(found, indent=2))


def table(figures: dict[str, dict[str, Any]]) -> str:
    """Return the table of docs/design/slurm-twin.md."""
    lines = [
        "| run | forecasts | in 80 % | loss | squeue's loss | of squeue's |",
        "|---|---|---|---|---|---|",
    ]
    for name, each in figures.items():
        lines.append(
            f"| {name} | {each['jobs']:,} | {each['within_80']:.0%} | "
            f"{each['loss_of_those_s']:,.0f} s | {each['squeue_loss_s']:,.0f} s | "
            f"{each['of_squeue']:.2f} |"
        )
    return "\n".join(lines)


def scored(site: SlurmSite, folder: Path, every: int = 4, forks: int = 50) -> dict[str, Any]:
    """Score forecasts at the moments of every fourth sample of ``squeue --start``.

    Args:
        site: the site with the history of the run.
        folder: the folder with its samples.
        every: number of samples from one forecast to the next.
        forks: number of futures per forecast.
    """
    assert site.history is not None
    epoch_s, details = site.history.epoch_s or 0, site.history.details
    real_s = details["first_start_s"].cast(float).fill_null(np.nan).to_numpy()
    samples = _samples(folder / "squeue-start.csv.gz")
    forecaster = TwinForecaster(site, forks=forks)
    ours, starts, theirs = [], [], []
    moments = 0
    for at_s in sorted(samples)[::every]:
        if at_s < FIRST_S:
            continue
        made = forecaster.forecast(at_s)
        moments += 1
        for name, job, row in zip(forecaster.names(made), made.job, made.start_s, strict=True):
            if real_s[job] > at_s:
                told = samples[at_s].get(name, NOT_TOLD)
                ours.append(row)
                starts.append(real_s[job])
                theirs.append(np.nan if told == NOT_TOLD else float(told) - epoch_s)
    forecast, real, squeue = np.array(ours), np.array(starts), np.array(theirs)
    both = ~np.isnan(squeue)
    point = np.repeat(squeue[both][:, None], len(FORECAST_LEVELS), axis=1)
    loss_s, squeue_s = pinball(forecast[both], real[both]), pinball(point, real[both])
    low, high = np.floor(forecast[:, 1]), np.ceil(forecast[:, 17])
    return {
        "moments": moments,
        "jobs": len(real),
        "within_80": round(float(((low <= real) & (real <= high)).mean()), 3),
        "pinball_loss_s": round(pinball(forecast, real), 1),
        "told_by_squeue": int(both.sum()),
        "loss_of_those_s": round(loss_s, 1),
        "squeue_loss_s": round(squeue_s, 1),
        "of_squeue": round(loss_s / squeue_s, 3),
    }


def _samples(path: Path) -> dict[float, dict[str, str]]:
    """Return the starts that squeue gave, by moment and job."""
    found: dict[float, dict[str, str]] = {}
    with gzip.open(path, "rt") as lines:
        header = next(lines).rstrip("\n").split("|")
        for line in lines:
            row = dict(zip(header, line.rstrip("\n").split("|"), strict=True))
            of_moment = found.setdefault(float(row["offset_s"]), {})
            of_moment[row["jobid"]] = row["expected_start_epoch"]
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
