"""The twin of Slurm on a week of a real site, if its data is there."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.files import measured, seconds
from benchmarks.table import Row
from schedlab.slurm import read_site
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.replay import phases_of


def slurm_twin(data: Path, folder: Path) -> list[Row]:
    """Measure replays of the week, one by one and eight at a time; nothing without the data.

    Args:
        data: the folder with ``ub-hpc-week``.
        folder: the folder for the site.
    """
    week = data / "ub-hpc-week"
    if not week.is_dir():
        return []
    schedlab, place = str(Path(sys.executable).with_name("schedlab")), folder / "week"
    imported_s = seconds(schedlab, "slurm", "import", str(week), "--out", str(place))
    site = read_site(place)
    controller = native_controller(SiteTables(site).made(), phases_of(site, 1)[0])
    began = time.process_time()
    while controller.run(100_000):
        pass
    one_s = time.process_time() - began
    span_s = max(runs[-1].end for runs in controller.runs() if runs)
    changes = ["--set", "bf_interval=60", "--phases", "8", "--json"]
    eight_s, resident = measured(schedlab, "slurm", "what-if", str(place), *changes)
    return [
        Row("slurm import of a week, 19,579 jobs", imported_s, "s", 10.0),
        Row("the twin replays it, processor time", one_s, "s", 10.0),
        Row("  as many times as fast as real time", span_s / one_s, "s/s", 60_000.0),
        Row("slurm what-if, 8 phases of both configurations", eight_s, "s", 60.0),
        Row("  its largest resident size with the twin", resident, "MB", 500.0),
    ]
