"""The core draws the small grid's jobs from the published distribution."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from schedlab.errors import ParameterError
from schedlab.rl import GanttBatch, GanttSettings, GridEpisodes
from schedlab.sim import simulate
from schedlab.workload import Workload
from schedlab.workload.generators import Bernoulli

DRAWS = 4000


def drawn(episodes: GridEpisodes, draws: int = DRAWS) -> list[Workload]:
    """Return the jobs of this many episodes."""
    random = np.random.default_rng(1)
    return [episodes.draw(random) for _ in range(draws)]


def column(workloads: list[Workload], name: str) -> np.ndarray:
    """Return all values of a column."""
    return np.concatenate([each[name] for each in workloads])


def within_chance(counts: np.ndarray, probabilities: np.ndarray) -> bool:
    """Return whether each count is within five standard deviations of its expectation."""
    total = counts.sum()
    spread = np.sqrt(total * probabilities * (1 - probabilities))
    return bool((np.abs(counts - total * probabilities) <= 5 * spread + 1e-9).all())


def test_run_times_and_resources_have_the_exact_probabilities() -> None:
    """80 % uniform in 1..3, 20 % in 10..15; half in 1..2, half in 5..10; and independent."""
    workloads = drawn(GridEpisodes(), 1000)
    run, nodes = column(workloads, "run_s"), column(workloads, "nodes")
    p_run, p_nodes = np.zeros(16), np.zeros(11)
    p_run[1:4], p_run[10:16] = 0.8 / 3, 0.2 / 6
    p_nodes[1:3], p_nodes[5:11] = 0.5 / 2, 0.5 / 6
    together = np.bincount(run * 11 + nodes, minlength=16 * 11)
    assert within_chance(together, np.outer(p_run, p_nodes).ravel())


@pytest.mark.parametrize("load", [0.4, 1.0, 1.8, 1.9, 4.0])
def test_arrivals_have_the_exact_probability_in_every_unit(load: float) -> None:
    """It is load / 1.845: the whole part is certain, and the rest is the chance of one more job."""
    workloads = drawn(GridEpisodes((load,)))
    per_unit = np.array([np.bincount(each["submit_s"], minlength=100) for each in workloads])
    certain, chance = divmod(load / 1.845, 1)
    assert set(np.unique(per_unit)) == {int(certain), int(certain) + 1}
    for unit in (0, 1, 50, 99):
        seen = np.bincount(per_unit[:, unit] - int(certain), minlength=2)
        assert within_chance(seen, np.array([1 - chance, chance]))


def test_the_mean_load_is_that_of_the_generator() -> None:
    """The core and the generator ``bernoulli`` share a distribution, so mean work is equal."""
    model, units = Bernoulli(1.3), 100
    mine = drawn(GridEpisodes((1.3,)), 2000)
    theirs = [model.generate_units(units, seed) for seed in range(500)]
    work = [np.array([w["run_s"] @ w["nodes"] for w in each]) for each in (mine, theirs)]
    error = np.sqrt(sum(each.var() / len(each) for each in work))
    assert abs(work[0].mean() - work[1].mean()) < 5 * error
    assert abs(work[0].mean() - 1.3 * 10 * units) < 5 * work[0].std() / np.sqrt(len(mine))


def test_an_episode_has_at_least_one_job() -> None:
    """If jobs are rare, draws without jobs are repeated: the arrival unit is then uniform."""
    workloads = drawn(GridEpisodes((0.001,), units=4), 2000)
    assert min(map(len, workloads)) == 1
    assert within_chance(np.bincount(column(workloads, "submit_s")), np.full(4, 0.25))


def test_each_episode_draws_one_of_several_loads() -> None:
    """Half of the episodes have hardly any job, the other half have many."""
    lengths = np.array(list(map(len, drawn(GridEpisodes((0.05, 1.8)), 400))))
    light, heavy = lengths[lengths < 30], lengths[lengths > 70]
    assert len(light) + len(heavy) == 400
    assert 150 < len(light) < 250


def test_what_the_batch_plays_is_what_the_episodes_draw() -> None:
    """The same seed gives the same jobs, and ``simulate`` accepts them, too."""
    episodes = GridEpisodes((0.7, 1.3))
    batch = GanttBatch(GanttSettings(), episodes, 3, threads=1)
    batch.seed(5)
    for place in range(3):
        random = np.random.default_rng(5 + place)
        for _ in range(2):
            batch.reset(place)
            assert batch.workload(place) == episodes.draw(random)
    assert len(simulate(batch.workload(0), 10, "easy")) == len(batch.workload(0))


def test_draws_for_tests_have_seeds_of_their_own() -> None:
    """A policy learns nothing from the jobs that it is judged by."""
    learn, test = GridEpisodes().split(0.25)
    assert (learn.seeds.start, learn.seeds.stop) == (0, test.seeds.start)
    assert (test.seeds.start, test.seeds.stop) == (3 * 2**61, 2**63)


def test_episodes_that_cannot_be_are_refused() -> None:
    """The error comes before any episode is played."""
    with pytest.raises(ParameterError, match="load is 0; must be above 0"):
        GridEpisodes((0,))
    with pytest.raises(ParameterError, match="loads is empty"):
        GridEpisodes(())
    with pytest.raises(ParameterError, match="units is 0; must be >= 1"):
        GridEpisodes(units=0)
    with pytest.raises(ParameterError, match=r"makes 5\.4e-05 jobs per episode; must be"):
        GridEpisodes((1e-6,))
    with pytest.raises(ParameterError, match="jobs of 10 resources; the grid has 6"):
        GanttBatch(GanttSettings(resources=6), GridEpisodes(), 1)
    with pytest.raises(ParameterError, match="jobs of 15 time units; the window has 14"):
        GanttBatch(GanttSettings(window=14), GridEpisodes(), 1)
