"""Runs of a real Slurm, and the twin beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slurm.tiny_site import run

from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.fidelity import fidelity_of
from schedlab.slurm.replay import TwinReplay, replay


def imported(shared_data: Path, tmp_path: Path, name: str) -> SlurmSite:
    """Return the site of a real run."""
    folder = shared_data / "slurm" / "runs" / name
    code, said = run("import", folder, "--out", tmp_path / name)
    assert code == 0, said
    return read_site(tmp_path / name)


def from_log(site: SlurmSite) -> TwinReplay:
    """Return the replay under the phases of the site's log."""
    assert site.history is not None
    assert site.history.clocks is not None
    return replay(site, site.history.clocks)


def test_a_short_real_run_is_replayed_to_the_second(shared_data: Path, tmp_path: Path) -> None:
    """All 20 jobs start in the same second, on the same nodes."""
    site = imported(shared_data, tmp_path, "small")
    found = fidelity_of(site, [from_log(site)])
    assert found.rows[0].start_error_s.most < 1
    assert not found.departures
    assert not found.not_started


@pytest.mark.parametrize(
    ("name", "start_error_s", "wait_error"),
    [
        ("half-r1", 15, 0.03),
        ("half-r2", 0.1, 0.001),
        ("half-r3", 0.1, 0.001),
        ("base-r1", 50, 0.04),
        ("base-r2", 20, 0.02),
        ("base-r3", 50, 0.02),
        ("v1-bf10", 20, 0.01),
        ("v2-builtin", 5, 0.01),
        ("v3-age", 40, 0.04),
        ("ft60-medium", 5, 0.01),
        ("A-r1", 13, 0.03),
        ("A-r2", 13, 0.03),
        ("P-r1", 7, 0.10),
        ("C-r1", 35, 0.05),
    ],
)
def test_real_runs_are_replayed(
    shared_data: Path, tmp_path: Path, name: str, start_error_s: float, wait_error: float
) -> None:
    """Real replicas of half differ by 38 to 67 s, of base by 108, of A by 13, of P by 7."""
    site = imported(shared_data, tmp_path, name)
    every = fidelity_of(site, [from_log(site)]).rows[0]
    assert every.start_error_s.mean < start_error_s
    assert abs(every.wait_error) < wait_error
