"""What actions, time and rewards do on the grid, on instances that can be drawn by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from schedlab import Workload
from schedlab.rl import GanttEnv
from schedlab.testing.instances import jobs

SMALL: dict[str, Any] = {"resources": 4, "slots": 2, "window": 6, "backlog_columns": 1}
WAIT = 2
"""The last action of two slots."""


def rigid(*rows: tuple[int, int, int]) -> Workload:
    """Return jobs from rows of submission, resources and time."""
    return jobs(*((submit, nodes, time, time) for submit, nodes, time in rows))


def begun(workload: Workload, **rules: Any) -> GanttEnv:
    """Return an environment at the first decision on these jobs."""
    env = GanttEnv(workload, **(SMALL | rules))
    env.reset()
    return env


def starts(env: GanttEnv) -> list[int]:
    """Return the decided start of each job."""
    decided: list[int] = env.schedule().start_s.tolist()
    return decided


def test_the_first_decision_is_due_at_the_first_arrival() -> None:
    """Nothing can be decided before."""
    env = begun(rigid((7, 1, 1), (7, 2, 1)))
    assert env.batch.core.now(0) == 7
    assert env.batch.core.slots(0).tolist() == [0, 1]


def test_a_job_that_does_not_fit_now_is_reserved_ahead() -> None:
    """It gets the earliest start within the window, and no time passes."""
    env = begun(rigid((0, 3, 2), (0, 4, 1)))
    env.step(0)
    _, reward, *_ = env.step(1)
    assert starts(env) == [0, 2]
    assert reward == 0
    assert env.batch.core.now(0) == 0


def test_a_later_job_may_be_reserved_before_a_reservation() -> None:
    """A hole is used if the job fits into it whole."""
    env = begun(rigid((0, 3, 2), (0, 4, 2), (0, 1, 2), (0, 1, 3)), window=7)
    for action in (0, 1, 0, 1):
        env.step(action)
    assert starts(env) == [0, 2, 0, 4]


def test_the_lowest_resources_free_for_the_whole_time_are_taken() -> None:
    """Resource 0 is free in unit 1 but reserved in unit 2: a job of two units gets another."""
    env = begun(rigid((0, 1, 1), (0, 2, 2), (0, 3, 1), (0, 1, 2), (0, 1, 2), (0, 1, 1)), slots=6)
    for action in range(6):
        env.step(action)
    nodes = env.schedule().named_nodes()
    assert starts(env) == [0, 0, 2, 0, 2, 1]
    assert [nodes.of(job) for job in range(6)] == [
        *([(0, 0)], [(1, 2)], [(0, 2)]),
        *([(3, 3)], [(3, 3)], [(0, 0)]),
    ]


@pytest.mark.parametrize("action", [1, WAIT])
def test_an_empty_slot_lets_time_go_by_like_the_last_action(action: int) -> None:
    """Both let one time unit pass."""
    env = begun(rigid((0, 1, 1)))
    env.step(action)
    assert env.batch.core.now(0) == 1


def test_a_job_without_room_lets_time_go_by() -> None:
    """It would end after the window; a unit later the window ends later."""
    env = begun(rigid((0, 4, 4), (0, 4, 3)))
    env.step(0)
    assert env.action_masks().tolist() == [False, False, True]
    env.step(1)
    assert starts(env) == [0, -1]
    assert env.action_masks().tolist() == [False, True, True]
    env.step(1)
    assert starts(env) == [0, 4]


def test_a_slot_is_refilled_from_the_backlog_in_order_of_arrival() -> None:
    """The jobs in other slots stay where they are."""
    env = begun(rigid((0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1)))
    core = env.batch.core
    assert (core.slots(0).tolist(), core.backlog(0)) == ([0, 1], 2)
    env.step(1)
    assert (core.slots(0).tolist(), core.backlog(0)) == ([0, 2], 1)
    env.step(0)
    assert (core.slots(0).tolist(), core.backlog(0)) == ([3, 2], 0)


def test_an_arriving_job_gets_the_lowest_empty_slot() -> None:
    """Even if the job in a higher slot is older."""
    env = begun(rigid((0, 1, 1), (0, 1, 1), (1, 1, 1)))
    env.step(0)
    env.step(WAIT)
    assert env.batch.core.slots(0).tolist() == [2, 1]


def test_rewards_are_the_fall_of_the_mean_slowdown_so_far() -> None:
    """A job of two units costs a half per unit; with a second job the mean is over two."""
    env = begun(rigid((0, 4, 2), (1, 4, 1)))
    rewards = [env.step(action)[1] for action in (0, WAIT, WAIT, 0, WAIT)]
    assert rewards == pytest.approx([0, -1 / 4, 1 / 4 - 2 / 2, 0, 2 / 2 - 3 / 2])


def test_rewards_may_be_the_fall_of_the_sum_of_slowdowns() -> None:
    """Their sum is then minus that of all slowdowns, and later arrivals change nothing."""
    env = begun(rigid((0, 4, 2), (1, 4, 1)), reward="total")
    rewards = [float(env.step(action)[1]) for action in (0, WAIT, WAIT, 0, WAIT)]
    assert rewards == pytest.approx([0, -0.5, -1.5, 0, -1])


def test_the_episode_ends_when_every_job_is_complete() -> None:
    """It does not end when the last job gets its reservation."""
    env = begun(rigid((0, 1, 2)))
    ends = [env.step(action)[2] for action in (0, WAIT, WAIT)]
    assert ends == [False, False, True]


def test_an_agent_that_only_waits_is_stopped() -> None:
    """After ``max_steps`` the episode is truncated, and the info says what became of it."""
    env = begun(rigid((0, 1, 2)), max_steps=3)
    for _ in range(2):
        assert env.step(WAIT)[2:4] == (False, False)
    *_, terminated, truncated, info = env.step(WAIT)
    assert (terminated, truncated) == (False, True)
    assert (info["started"], info["mean_slowdown"], info["makespan_s"]) == (0, 1.5, 0)


def test_the_image_is_drawn_as_described() -> None:
    """Chart, two slots of four columns, one column of backlog, the time since the last arrival."""
    env = begun(rigid((0, 3, 2), (0, 2, 1), (0, 1, 1), (0, 1, 1)), colours=3, arrival_memory=4)
    env.step(0)
    image = env.step(WAIT)[0]
    expected = np.zeros((6, 4 + 8 + 1 + 1), np.float32)
    expected[0, :3] = 0.25
    expected[0, 4] = 1
    expected[0, 8:10] = 1
    expected[0, 12] = 1
    expected[:, 13] = 0.25
    assert np.array_equal(image, expected)


def test_colours_take_turns_and_can_be_left_out() -> None:
    """With two colours, cells are thirds; without any, every occupied cell is 1."""
    three = rigid((0, 1, 1), (0, 1, 1), (0, 1, 1))
    for colours, cells in ((2, [1 / 3, 2 / 3, 1 / 3]), (0, [1, 1, 1])):
        env = begun(three, colours=colours)
        for action in (0, 0, 1):
            image, *_ = env.step(action)
        assert image[0, :4] == pytest.approx([*cells, 0])


def test_the_vector_is_made_as_described() -> None:
    """Free shares of the rows ahead; width, time, reciprocal time and start; backlog, arrival."""
    env = begun(rigid((0, 3, 2), (0, 2, 3), (0, 4, 6)), observation="vector")
    vector, *_ = env.step(0)
    rows, first, second, last = np.split(vector, [6, 10, 14])
    assert rows == pytest.approx([1 / 4, 1 / 4, 1, 1, 1, 1])
    assert first == pytest.approx([1, 1, 1 / 6, 1])
    assert second == pytest.approx([1 / 2, 1 / 2, 1 / 3, 2 / 6])
    assert last == pytest.approx([0, 0])


def test_the_result_and_the_schedule_tell_the_same() -> None:
    """The last info has the mean slowdown, mean wait and makespan of the schedule."""
    env = begun(rigid((3, 4, 2), (4, 4, 2)))
    for action in (0, WAIT, 0, WAIT, WAIT):
        env.step(action)
    *_, info = env.step(WAIT)
    schedule = env.schedule()
    assert schedule.wait_s.tolist() == [0, 1]
    assert schedule.end_s.tolist() == [5, 7]
    assert info == {
        "time_s": 7,
        "waiting": 0,
        "running": 0,
        "steps": 6,
        "started": 2,
        "completed": 2,
        "mean_slowdown": pytest.approx(1.25),
        "mean_wait_s": 0.5,
        "makespan_s": 4,
    }
