"""A trial: its figures, and the runs that it makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.errors import InputError
from schedlab.live.trial import ARMS, LiveTrial, TrialRun, effects_of
from schedlab.slurm.real_slurm import RealSlurm


def run(replica: int, arm: str, wait_s: float) -> TrialRun:
    """Return a run in which all measures of the wait are the same."""
    waits = dict.fromkeys(
        ("mean_wait_s", "median_wait_s", "p95_wait_s", "longest_wait_s"),
        wait_s,
    )
    return TrialRun(
        replica=replica,
        arm=arm,
        turn=1,
        jobs=10,
        lost=0,
        mean_slowdown=1.0,
        makespan_s=100.0,
        changes=0,
        requests=5,
        requests_s=0.1,
        load=0.0,
        **waits,
    )


def test_the_change_is_the_geometric_mean_over_replicas() -> None:
    """A wait that halves in one replica and doubles in another has not changed."""
    runs = [run(1, "shadow", 10), run(1, "steer", 20), run(2, "steer", 40), run(2, "shadow", 80)]
    wait = effects_of(runs)[0]
    assert (wait.metric, wait.arms) == ("mean_wait_s", ("shadow", "steer"))
    assert wait.means == (45, 30)
    assert wait.change == pytest.approx(0, abs=1e-6)
    assert (wait.less, wait.replicas) == (1, 2)
    assert wait.interval is not None
    assert wait.interval[0] < 0 < wait.interval[1]


def test_arms_are_compared_where_both_have_run() -> None:
    """Every pair of off, shadow and steer is compared; an unfinished replica does not count."""
    runs = [run(1, "off", 100), run(1, "shadow", 100), run(1, "steer", 80), run(2, "off", 1)]
    found = {each.arms: each for each in effects_of(runs) if each.metric == "mean_wait_s"}
    assert found["off", "steer"].change == pytest.approx(-0.2)
    assert found["shadow", "steer"].change == pytest.approx(-0.2)
    assert found["off", "shadow"].change == pytest.approx(0, abs=1e-6)
    assert {each.replicas for each in found.values()} == {1}


def test_nothing_to_compare_is_said() -> None:
    """An error says that no replica can be compared, rather than an empty table."""
    with pytest.raises(InputError, match="no replica has run under two arms"):
        effects_of([run(1, "off", 1), run(2, "steer", 1)])


def test_every_replica_has_every_arm_in_an_order_of_its_own(tmp_path: Path) -> None:
    """The seed determines the order, so an interrupted trial goes on with the same one."""
    made = LiveTrial(RealSlurm({}, {}), [], tmp_path, tmp_path, "saf", 10, 20, seed=3)
    order = made.order()
    assert order == made.order()
    by_replica = [[arm for at, arm, _ in order if at == replica] for replica in range(1, 21)]
    assert all(sorted(arms) == sorted(ARMS) for arms in by_replica)
    assert len({tuple(arms) for arms in by_replica}) > 1
    assert not made.runs()


@pytest.mark.parametrize("arms", ["steer", "off,off", "off,on", ""])
def test_arms_that_do_not_exist(arms: str, tmp_path: Path) -> None:
    """Unknown arms, and arms that cannot be compared, are refused."""
    words = ["live", "trial", "absent", "--site", str(tmp_path), "--policy", "saf", "--out", "t"]
    done = CliRunner().invoke(app, [*words, "--arms", arms])
    assert done.exit_code == 2
    assert "expected two or three of off, shadow, steer" in done.stderr
