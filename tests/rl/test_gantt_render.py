"""A person can watch the grid."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("gymnasium")
pytest.importorskip("matplotlib")

from schedlab.rl import GanttEnv
from schedlab.rl.gantt.render import GanttMoment
from schedlab.testing.instances import jobs

FULL = jobs((0, 10, 3, 3), (0, 2, 9, 9), (0, 10, 12, 12), (1, 1, 15, 15), (1, 1, 1, 1))


def watched() -> GanttEnv:
    """Return an environment at its first decision, ready to render."""
    env = GanttEnv(FULL, slots=3, render_mode="rgb_array")
    env.reset()
    return env


def frame(env: GanttEnv) -> NDArray[np.uint8]:
    """Return the picture of this moment."""
    picture = env.render()
    assert picture is not None
    return picture


def test_frames_have_one_shape_and_differ() -> None:
    """Frames from the first decision on can be made into a film."""
    env = watched()
    first = frame(env)
    assert first.dtype == np.uint8
    assert first.shape[2:] == (3,)
    for action in (0, 1, 3):
        env.step(action)
        picture = frame(env)
        assert picture.shape == first.shape
        assert (picture != first).mean() > 0.005


def test_the_same_moment_gives_the_same_picture() -> None:
    """Nothing of another frame is left in the figure."""
    env = watched()
    first = frame(env)
    env.step(0)
    frame(env)
    env.reset()
    assert np.array_equal(frame(env), first)


def test_the_moment_tells_who_waits_and_where_there_is_room() -> None:
    """Two jobs have a start, two have room, and one would end after the window."""
    env = watched()
    env.step(0)
    env.step(1)
    env.step(3)
    moment = GanttMoment.of(env.batch, 0)
    assert moment.slots.tolist() == [3, 4, 2]
    assert moment.room.tolist() == [True, True, False]
    assert moment.told.splitlines()[1] == (
        "5 jobs: 0 to come, 3 waiting, 2 reserved or running, 0 ended"
    )
