"""A person can watch an episode."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("gymnasium")
pytest.importorskip("matplotlib")

from schedlab.errors import MissingExtraError
from schedlab.policies.learned.settings import MODES
from schedlab.rl import QueueEnv
from schedlab.rl.render import Moment
from schedlab.testing.instances import crowd, jobs


def watched(**rules: Any) -> QueueEnv:
    """Return an environment at its first decision, ready to render."""
    env = QueueEnv(crowd(), None, nodes=16, visible_jobs=10, render_mode="rgb_array", **rules)
    env.reset()
    return env


def frame(env: QueueEnv) -> NDArray[np.uint8]:
    """Return the picture of this moment."""
    picture = env.render()
    assert picture is not None
    return picture


@pytest.mark.parametrize("mode", MODES)
def test_frames_of_an_episode_have_one_shape_and_differ(mode: str) -> None:
    """Frames from the first decision to the end can be made into a film."""
    env = watched(mode=mode)
    first, ended = frame(env), False
    assert first.dtype == np.uint8
    assert first.ndim == 3
    assert first.shape[2] == 3
    while not ended:
        ended = env.step(int(np.argmax(env.action_masks())))[2]
    last = frame(env)
    assert last.shape == first.shape
    assert (last != first).mean() > 0.01


def test_the_same_moment_gives_the_same_picture() -> None:
    """Nothing of another frame is left in the figure; earlier frames stay as they were."""
    env = watched()
    first = frame(env)
    kept = first.copy()
    env.step(0)
    frame(env)
    assert np.array_equal(first, kept)
    env.reset()
    assert np.array_equal(frame(env), first)


def test_a_picture_does_not_show_the_future() -> None:
    """The agent does not know when jobs end: running jobs are drawn until now."""
    env = QueueEnv(jobs((0, 1, 90, 90), (60, 1, 90, 90)), None, nodes=2)
    env.reset()
    env.step(0)
    moment = Moment.of(env.batch, 0)
    assert moment.elapsed_s == 60
    assert moment.schedule.end_s.tolist() == [60, -1]


def test_without_a_render_mode_nothing_is_drawn() -> None:
    """Gymnasium's own environments give the same warning."""
    env = QueueEnv(crowd(), None, nodes=16)
    env.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rendering needs the same extra as pictures."""
    env = watched()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[viz\]"'):
        env.render()
