"""What a shadow's wishes would have done: the twin replays what happened, with and without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import InputError
from schedlab.live.given import key_of
from schedlab.live.ledger import Entry
from schedlab.slurm.commands import Command
from schedlab.slurm.fidelity import first_starts
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmHistory, SlurmSite


@dataclass(frozen=True)
class ForecastScore:
    """How well the forecasts of a log met what happened.

    Args:
        jobs: number of jobs with a forecast whose start the history knows.
        covered: the share of these jobs that started within the 80 % interval.
        error_s: mean absolute difference between the most likely and the real start.
    """

    jobs: int
    covered: float
    error_s: float


def steered_site(site: SlurmSite, entries: Iterable[Entry]) -> tuple[SlurmSite, int]:
    """Return the site with the changes of a log as commands to Slurm, and the number of changes.

    A site factor is a negative nice value: both are added to the priority.
    """
    history = history_of(site)
    epoch_s = history.epoch_s or 0
    nice = {
        key: int(value or 0)
        for name, value in history.details.select("slurm_id", "nice").iter_rows()
        for key in {name, name.partition("_")[0]}
    }
    told = []
    for entry in entries:
        key = key_of(str(entry.get("job", "")))
        if entry["kind"] in ("wish", "change") and key in nice:
            text = f"scontrol update JobId={key} Nice={nice[key] - int(entry['to'])}"
            told.append(Command(float(entry["at"]) - epoch_s, text, key))
    commands = tuple(sorted((*history.commands, *told), key=lambda each: each.at_s))
    made = SlurmHistory(history.workload, history.details, commands, history.clocks)
    return replace(site, history=made), len(told)


def jobs_within(site: SlurmSite, entries: Sequence[Entry]) -> NDArray[np.bool_]:
    """Return the jobs that waited at some time between the first and the last entry of a log."""
    if not entries:
        raise InputError("the log has no entries")
    history = history_of(site)
    epoch_s = history.epoch_s or 0
    first_s, last_s = float(entries[0]["at"]) - epoch_s, float(entries[-1]["at"]) - epoch_s
    submit_s = history.details["submit_s"].to_numpy()
    found: NDArray[np.bool_] = (submit_s <= last_s) & ~(first_starts(site) < first_s)
    return found


def score_forecasts(site: SlurmSite, entries: Iterable[Entry]) -> ForecastScore | None:
    """Compare the forecasts of a log with the starts of a history; None if it knows none."""
    epoch_s = history_of(site).epoch_s or 0
    names = history_of(site).details["slurm_id"].to_list()
    start = dict(zip(names, (first_starts(site) + epoch_s).tolist(), strict=True))
    rows = [
        (start[job], *told)
        for entry in entries
        if entry["kind"] == "forecasts"
        for job, told in entry["starts"].items()
        if not np.isnan(start.get(job, np.nan))
    ]
    if not rows:
        return None
    real, low, likely, high = np.array(rows, float).T
    covered = (low - 1 <= real) & (real <= high + 1)  # starts are in whole seconds
    return ForecastScore(len(rows), float(covered.mean()), float(np.abs(real - likely).mean()))
