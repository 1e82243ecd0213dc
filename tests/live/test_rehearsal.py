"""A rehearsal: the twin replays a history while a policy steers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.slurm import tiny_site
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.live.guards import Guards
from schedlab.live.rehearsal import rehearse
from schedlab.policies import find_policy
from schedlab.slurm.replay import phases_of, replay
from schedlab.slurm.site import SlurmSite

FREE = Guards(clamp=1_000_000)


@pytest.fixture
def site(tmp_path: Path) -> SlurmSite:
    """One job fills the machine; then a large one and small ones wait."""
    small = [tiny_site.job(at, at, 4, 60, 50) for at in range(3, 9)]
    jobs = [tiny_site.job(1, 0, 16, 600, 300), tiny_site.job(2, 1, 16, 600, 500), *small]
    return tiny_site.make_in(tmp_path, *jobs)


def test_small_jobs_come_first_if_the_policy_wants_it(site: SlurmSite) -> None:
    """They come last if it wants the opposite; without a policy the large job comes first."""
    (clocks,) = phases_of(site, 1)
    as_it_is = replay(site, clocks).start_s
    small_first = rehearse(site, find_policy("saf"), FREE, clocks, 30)
    large_first = rehearse(site, find_policy("laf"), FREE, clocks, 30)
    assert as_it_is[1] < as_it_is[2:].min()
    assert small_first.replay.start_s[1] > small_first.replay.start_s[2:].max()
    assert large_first.replay.start_s.tolist() == as_it_is.tolist()
    assert small_first.changes >= 7


def test_a_clamp_that_allows_nothing_changes_nothing(site: SlurmSite) -> None:
    """The jobs' own priorities are further apart than the clamp."""
    (clocks,) = phases_of(site, 1)
    held = rehearse(site, find_policy("saf"), Guards(clamp=1), clocks, 30)
    assert held.replay.start_s.tolist() == replay(site, clocks).start_s.tolist()


def test_periods_are_told(site: SlurmSite) -> None:
    """A call in each period lets a long rehearsal show that it goes on."""
    (clocks,) = phases_of(site, 1)
    told: list[int] = []
    made = rehearse(site, find_policy("saf"), FREE, clocks, 30, lambda: told.append(1))
    assert len(told) >= made.steps > 5


def test_the_command_compares_it_with_the_twin(site: SlurmSite, tmp_path: Path) -> None:
    """The command compares a rehearsal with the twin in pairs, one for each phase."""
    del site  # it is in the folder
    words = ["live", "rehearse", str(tmp_path / "site"), "--policy", "saf", "--phases", "2"]
    done = CliRunner().invoke(app, [*words, "--every", "30s", "--clamp", "100000", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["rows"][0]["difference"] < 0
    assert told["changes"] >= 7
