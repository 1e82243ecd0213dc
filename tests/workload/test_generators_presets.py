"""WL1 and WL2 have the properties that their paper gives."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.workload import Workload, apply
from schedlab.workload.generators.lublin import WL1, WL2, Lublin, wl1, wl2

PRESETS = {"WL1": (WL1, 0.80), "WL2": (WL2, 0.20)}
LONG_RUN = 200_000


@pytest.fixture(scope="module", params=PRESETS)
def long_run(request: pytest.FixtureRequest) -> tuple[Workload, float]:
    """Many jobs of a preset, and the share of single-node jobs it must have."""
    preset, single = PRESETS[request.param]
    return preset.generate(LONG_RUN, seed=1), single


def test_single_node_share_and_machine(long_run: tuple[Workload, float]) -> None:
    """80 % and 20 % single-node jobs, nothing wider than 256 nodes."""
    workload, single = long_run
    assert np.mean(workload["nodes"] == 1) == pytest.approx(single, abs=0.004)
    assert workload["nodes"].max() == 256


def test_requests_last_half_an_hour_on_average_and_6_h_at_most(
    long_run: tuple[Workload, float],
) -> None:
    """Mean 0.5 h and maximum 6 h, which is nearly reached."""
    request_s = long_run[0]["request_s"]
    assert request_s.mean() == pytest.approx(1800, rel=0.02)
    assert 21_000 < request_s.max() <= 21_600


def test_gaps_last_100_s_on_average_and_half_an_hour_at_most(
    long_run: tuple[Workload, float],
) -> None:
    """Mean 100 s and maximum 0.5 h."""
    gaps_s = np.diff(long_run[0]["submit_s"])
    assert gaps_s.mean() == pytest.approx(100, rel=0.02)
    assert 1700 < gaps_s.max() <= 1800


def test_parallel_sizes_keep_the_published_mix(long_run: tuple[Workload, float]) -> None:
    """Only the single-node share changes: 76.2 % of parallel jobs are drawn as powers of two."""
    nodes = long_run[0]["nodes"]
    mean = {0.80: 6.64, 0.20: 23.36}[long_run[1]]
    assert nodes.mean() == pytest.approx(mean, rel=0.03)


@pytest.mark.parametrize("preset", [WL1, WL2], ids=["WL1", "WL2"])
def test_every_draw_of_2000_jobs_is_within_the_paper_s_figures(preset: Lublin) -> None:
    """The paper uses one draw of 2000 jobs; twenty of ours stay near 100 s and 0.5 h."""
    for seed in range(20):
        workload = preset.generate(2000, seed=seed)
        gaps_s = np.diff(workload["submit_s"])
        assert gaps_s.max() <= 1800
        assert gaps_s.mean() == pytest.approx(100, rel=0.15)
        assert workload["request_s"].mean() == pytest.approx(1800, rel=0.15)


@pytest.mark.parametrize("preset", [wl1, wl2])
def test_with_the_daily_cycle_the_long_run_mean_is_kept(preset: type[Lublin]) -> None:
    """The night stretches gaps, those over 0.5 h are drawn again, and the mean is still 100 s."""
    gaps_s = np.diff(preset(daily_cycle=True).generate(100_000, seed=1)["submit_s"])
    assert gaps_s.max() <= 1800
    assert gaps_s.mean() == pytest.approx(100, rel=0.03)


def test_the_model_s_time_is_the_request() -> None:
    """Run times come from it by the accuracy transform: 100 all, 050 half, RND uniform."""
    workload = WL2.generate(2000, seed=5)
    assert np.array_equal(workload["run_s"], workload["request_s"])
    half = apply(workload, ["set_run=0.5", "head=1000"])
    assert np.array_equal(half["request_s"], workload["request_s"][:1000])
    assert half["run_s"].sum() == pytest.approx(half["request_s"].sum() / 2, rel=1e-3)
