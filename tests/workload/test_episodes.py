"""Training episodes and test episodes have no job or seed in common."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.errors import ParameterError
from schedlab.testing.instances import crowd
from schedlab.workload.episodes import GeneratedEpisodes, WindowEpisodes


def test_windows_for_tests_come_after_those_to_learn_from() -> None:
    """No job is in both parts, whatever is drawn."""
    learn, test = WindowEpisodes(crowd(count=100), 10).split(0.3)
    random = np.random.default_rng(0)
    seen = {job for _ in range(200) for job in learn.draw(random)["job_id"].tolist()}
    held_out = {job for _ in range(200) for job in test.draw(random)["job_id"].tolist()}
    ids = crowd(count=100)["job_id"].tolist()
    assert (seen, held_out) == (set(ids[:70]), set(ids[70:]))


def test_draws_for_tests_have_seeds_of_their_own() -> None:
    """The model never gives the same draw for training and for tests."""
    learn, test = GeneratedEpisodes("lublin:nodes=16", 5).split(0.25)
    assert learn.seeds.stop == test.seeds.start
    assert len(test.seeds) == 2**29
    drawn = learn.draw(np.random.default_rng(0))
    again = GeneratedEpisodes("lublin:nodes=16", 5, seeds=learn.seeds)
    assert again.draw(np.random.default_rng(0)) == drawn


def test_a_trace_too_short_to_be_split_is_refused() -> None:
    """Each part must hold a window."""
    with pytest.raises(ParameterError, match="a trace of 30 jobs is too short to learn and test"):
        WindowEpisodes(crowd(count=30), 10).split(0.3)
