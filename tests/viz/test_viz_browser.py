"""The report as a reader meets it: in a real browser, without a network."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from schedlab import simulate
from schedlab.testing.instances import crowd
from schedlab.viz import write_report

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1200,3000",
    "--virtual-time-budget=8000",
)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_report_draws_itself_offline(tmp_path: Path) -> None:
    """Scripts that failed to load would leave white boxes where the Gantt charts should be."""
    from matplotlib.image import imread

    report, picture = tmp_path / "report.html", tmp_path / "report.png"
    write_report([simulate(crowd(), 16, policy) for policy in ("fcfs", "easy")], report)
    browser = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path}/profile"]
    command = [*browser, f"--screenshot={picture}", report.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    pixels = imread(picture)[..., :3].reshape(-1, 3)
    colourful = np.ptp(pixels, axis=1) > 0.3
    assert colourful.mean() > 0.01, "the charts are missing"
    assert len(np.unique((pixels[colourful] * 15).astype(int), axis=0)) > 10
