"""The native grid and the plain Python one agree, step by step, whatever the agent does."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("gymnasium")

from schedlab import Workload
from schedlab.rl import GanttBatch, GanttSettings
from schedlab.testing import ReferenceSchedule
from schedlab.testing.gantt_reference import GanttReference
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import examples
from schedlab.workload.episodes import FixedEpisode


@st.composite
def small_grids(draw: st.DrawFn) -> GanttSettings:
    """Draw grids of any shape, some with more resources than a machine word has bits."""
    return GanttSettings(
        resources=draw(st.sampled_from([1, 2, 3, 5, 10, 64, 70])),
        slots=draw(st.integers(1, 4)),
        window=draw(st.integers(1, 9)),
        backlog_columns=draw(st.integers(0, 2)),
        colours=draw(st.sampled_from([0, 1, 3, 39])),
        arrival_memory=draw(st.integers(1, 4)),
        max_steps=draw(st.sampled_from([5, 40, 10_000])),
    )


@st.composite
def grid_jobs(draw: st.DrawFn, grid: GanttSettings) -> Workload:
    """Draw a few jobs, often several at a time, that fit into the empty window."""
    gaps = draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 7]), min_size=1, max_size=14))
    widths = st.integers(1, grid.resources) | st.sampled_from([1, grid.resources])
    rows = []
    for submit in accumulate(gaps):
        time = draw(st.integers(1, grid.window))
        rows.append((submit, draw(widths), time, time))
    return jobs(*rows)


@st.composite
def episodes(draw: st.DrawFn) -> tuple[GanttSettings, Workload, list[int]]:
    """Draw a grid, jobs for it, and actions that are taken in turn, sensible or not."""
    grid = draw(small_grids())
    actions = draw(st.lists(st.integers(0, grid.slots), min_size=1, max_size=40))
    return grid, draw(grid_jobs(grid)), [*actions, grid.slots, *range(grid.slots)]


def agree(grid: GanttSettings, workload: Workload, actions: list[int]) -> None:
    """Check that both grids agree in an episode, with both observations."""
    plain = GanttReference(grid, workload)
    kinds = ("image", "vector")
    batches = [
        GanttBatch(replace(grid, observation=kind), FixedEpisode(workload), 1, threads=1)
        for kind in kinds
    ]
    for batch in batches:
        batch.reset(0)
    returned, ended, turn = 0.0, False, 0
    while not ended:
        for batch, seen in zip(batches, (plain.image(), plain.vector()), strict=True):
            np.testing.assert_array_equal(batch.observation[0], seen)
            assert batch.mask[0].tolist() == plain.mask()
        action = actions[turn % len(actions)]
        reward, terminated, truncated = plain.step(action)
        for batch in batches:
            batch.step(np.array([action]))
            assert batch.reward[0] == pytest.approx(reward, abs=1e-12)
            assert (batch.terminated[0], batch.truncated[0]) == (terminated, truncated)
        returned += float(batches[0].reward[0])
        ended, turn = terminated or truncated, turn + 1
    schedule = batches[0].schedule(0)
    nodes = ReferenceSchedule.of(schedule).nodes_of
    assert schedule.start_s.tolist() == [-1 if j.start is None else j.start for j in plain.jobs]
    assert nodes == [list(job.allocated) for job in plain.jobs]
    if terminated:
        slowdown = (schedule.wait_s + schedule.ran_s) / workload["request_s"]
        assert returned == pytest.approx(-slowdown.mean(), rel=1e-9)


@examples(150)
@given(episodes())
def test_both_see_decide_and_reward_the_same(
    episode: tuple[GanttSettings, Workload, list[int]],
) -> None:
    """Observation, mask, reward and end agree; the undiscounted return is minus mean slowdown."""
    agree(*episode)


@pytest.mark.slow
@examples(2000)
@given(episodes())
def test_both_agree_on_thousands_of_episodes(
    episode: tuple[GanttSettings, Workload, list[int]],
) -> None:
    """More episodes find rare differences."""
    agree(*episode)


def test_both_agree_on_the_paper_s_grid() -> None:
    """Ten resources at 190 % load, with a backlog that overflows the ten slots."""
    from schedlab.workload.generators import Bernoulli

    workload = Bernoulli(load=1.9).generate_units(60, seed=2)
    actions = np.random.default_rng(2).integers(11, size=500).tolist()
    agree(GanttSettings(), workload, actions)
