"""Hand-drawn episodes: every rule of actions and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("gymnasium")

from schedlab.rl import QueueEnv
from schedlab.testing.instances import jobs

WAIT = 3  # with three visible jobs, the action after them


def begun(rows: Sequence[tuple[int, int, int, int]], **rules: Any) -> QueueEnv:
    """Return an environment of four nodes and three visible jobs, at its first decision."""
    settings = {"nodes": 4, "visible_jobs": 3, "sim_step_s": 10, "scaled": False} | rules
    env = QueueEnv(jobs(*rows), None, **settings)
    env.reset()
    return env


def now(env: QueueEnv) -> int:
    """Return the clock."""
    simulator = env.batch.simulator[0]
    assert simulator is not None
    return simulator.now


def starts(env: QueueEnv) -> list[int]:
    """Return the start of each job, -1 if it has not started."""
    simulator = env.batch.simulator[0]
    assert simulator is not None
    return [int(start) for start in simulator.start_times()]


# submit, nodes, request, run
THREE = ((0, 2, 30, 20), (0, 4, 30, 20), (0, 1, 30, 20))


def test_what_the_agent_sees() -> None:
    """Per node remaining times by request and by estimate, then the jobs' columns, then zeros."""
    env = begun(THREE, estimate="actual")
    observation, *_ = env.step(0)
    assert observation.tolist() == [30, 30, 0, 0, 20, 20, 0, 0, 4, 1, 0, 30, 30, 0, 20, 20, 0]


def test_the_baseline_sees_no_estimates() -> None:
    """It sees only the request."""
    env = begun(THREE, observation="baseline")
    observation, *_ = env.step(0)
    assert observation.tolist() == [30, 30, 0, 0, 4, 1, 0, 30, 30, 0]


def test_scaled_numbers_are_shares() -> None:
    """Nodes are shares of the machine, times of the longest request."""
    env = begun(THREE, scaled=True, estimate="actual")
    observation, *_ = env.step(0)
    assert observation[0] == 1
    assert observation[4] == pytest.approx(2 / 3)
    assert observation[8:11].tolist() == [1, 0.25, 0]


def test_a_pick_that_fits_starts_at_once() -> None:
    """Time stands still while the agent decides."""
    env = begun(THREE)
    env.step(2)
    env.step(0)
    assert now(env) == 0
    assert starts(env) == [0, -1, 0]


def test_four_failures_in_a_row_let_time_go_on() -> None:
    """The wide job does not fit beside the first: after four picks in vain, time goes on."""
    env = begun(THREE)
    env.step(0)
    for _ in range(3):
        env.step(0)
        assert now(env) == 0
    env.step(0)
    assert now(env) == 10


def test_a_success_forgives_failures() -> None:
    """Only failures in a row count."""
    env = begun(THREE)
    for action in (0, 0, 0, 0, 1, 0, 0, 0):
        env.step(action)
    assert now(env) == 0
    assert starts(env) == [0, -1, 0]


def test_an_empty_slot_and_waiting_let_time_go_on() -> None:
    """Neither of them picks a job."""
    env = begun(((0, 1, 30, 20), (0, 1, 30, 20)))
    env.step(2)
    assert now(env) == 10
    env.step(WAIT)
    assert now(env) > 10


def test_a_success_that_empties_the_queue_lets_time_go_on() -> None:
    """Time goes on to the next submission, which comes at 95 and is seen at 100."""
    env = begun(((0, 1, 30, 20), (95, 1, 30, 20)))
    env.step(0)
    assert now(env) == 100


def test_intervals_without_an_event_double() -> None:
    """With waiting jobs and free nodes, the agent is asked again after 10, 20, 40 s."""
    env = begun(THREE)
    times = []
    for _ in range(4):
        env.step(WAIT)
        times.append(now(env))
    assert times == [10, 30, 70, 150]


def test_intervals_stay_if_told_so() -> None:
    """A trained policy schedules like this."""
    env = begun(THREE, doubling=False)
    times = []
    for _ in range(3):
        env.step(WAIT)
        times.append(now(env))
    assert times == [10, 20, 30]


def test_an_event_makes_the_interval_short_again() -> None:
    """The submission at 35 is seen at 40, before the interval of 40 s ends."""
    env = begun((*THREE, (35, 1, 30, 20)))
    times = []
    for _ in range(4):
        env.step(WAIT)
        times.append(now(env))
    assert times == [10, 30, 40, 50]


def test_without_free_nodes_time_goes_to_the_next_event() -> None:
    """All nodes are busy until 20."""
    env = begun(((0, 4, 30, 20), (0, 1, 30, 20)))
    env.step(0)
    env.step(WAIT)
    assert now(env) == 20


def test_the_last_start_ends_the_episode() -> None:
    """The reward counts the started jobs, the utilisation and the steps that are left.

    ::

        nodes 0-1  AABB       A and C run from 0 to 20, B from 20 to 40 on all nodes
        node  2    CCBB
        node  3    ..BB
    """
    env = begun(THREE, max_steps=10)
    for action in (0, 1, WAIT):
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0, False, False)
        assert "utilisation" not in info
    assert now(env) == 10
    env.step(WAIT)
    assert now(env) == 20
    _, reward, terminated, truncated, info = env.step(0)
    assert (terminated, truncated) == (True, False)
    assert starts(env) == [0, 20, 0]
    used = (2 * 20 + 4 * 20 + 1 * 20) / (4 * 40)
    assert info["utilisation"] == pytest.approx(used)
    assert info["mean_wait_s"] == pytest.approx(20 / 3)
    assert reward == pytest.approx(1 + used + 5 / 10)


def test_info_tells_where_the_episode_is() -> None:
    """It does so at the beginning and after each step; the last info also has the results.

    ::

        nodes 0-1  AABB       A and C run from 0 to 20, B from 20 to 40 on all nodes
        node  2    CCBB
        node  3    ..BB
    """
    env = begun(THREE, doubling=False)
    names = ("time_s", "waiting", "running", "free_nodes", "started", "steps")
    _, info = env.reset()
    told = [tuple(info[name] for name in names)]
    for action in (0, 1, WAIT, WAIT, 0):
        *_, info = env.step(action)
        told.append(tuple(info[name] for name in names))
    assert told == [
        (0, 3, 0, 4, 0, 0),
        (0, 2, 1, 2, 1, 1),
        (0, 1, 2, 1, 2, 2),
        (10, 1, 2, 1, 2, 3),
        (20, 1, 0, 4, 2, 4),
        (40, 0, 0, 4, 3, 5),
    ]
    assert info["share_started"] == 1


def test_slowdowns_are_paid_while_jobs_wait() -> None:
    """Each job costs 1 when time first passes; B, which runs for 20, costs 0.5 every 10.

    Starting it costs nothing more, so there is nothing to gain by not starting it.
    """
    env = begun(THREE, reward="slowdown")
    rewards = [float(env.step(action)[1]) for action in (0, 1, WAIT, WAIT, 0)]
    assert rewards == pytest.approx([0, 0, -3.5, -0.5, 0])


def test_steps_run_out() -> None:
    """Then the episode is truncated, and the reward counts the jobs that have started."""
    env = begun(THREE, max_steps=2)
    env.step(2)
    _, reward, terminated, truncated, info = env.step(WAIT)
    assert (terminated, truncated) == (False, True)
    assert info["started"] == 1
    assert reward == pytest.approx(1 / 3 + 20 / (4 * 20) + 0)


def test_masks_show_what_fits() -> None:
    """The wide job does not fit once another runs; empty slots never do; waiting always may."""
    env = begun(THREE)
    assert env.action_masks().tolist() == [True, True, True, True]
    env.step(0)
    assert env.action_masks().tolist() == [False, True, False, True]


def test_with_the_guard_the_head_is_not_delayed() -> None:
    """The wide job is the head, promised 30: a job of 40 s would delay it, one of 30 s would not.

    ::

        nodes 0-1  AAA HHH
        node  2    C.. HHH    C may start, of 30 s
        node  3    ... HHH    D, of 40 s, may not
    """
    rows = ((0, 2, 30, 30), (0, 4, 30, 30), (0, 1, 40, 40), (0, 1, 30, 30))
    env = begun(rows, mode="order+guard")
    env.step(0)
    assert env.action_masks().tolist() == [True, True, True, False]
    env.step(0)
    assert env.action_masks().tolist() == [False, False, True, True]
    env.step(2)
    assert starts(env) == [0, -1, -1, 0]
    assert now(env) == 30


def times(env: QueueEnv, action: int, steps: int) -> list[int]:
    """Return the clock after each of ``steps`` equal answers."""
    found = []
    for _ in range(steps):
        env.step(action)
        found.append(now(env))
    return found


@pytest.mark.parametrize("mode", ["order", "order+guard"])
def test_an_agent_that_names_no_head_lets_time_go_on(mode: str) -> None:
    """When nothing else can happen, intervals pass, as where the agent picks."""
    env = begun(((0, 2, 30, 30), (0, 4, 30, 30)), mode=mode)
    assert not env.action_masks()[3]
    assert times(env, 3, 4) == [10, 30, 70, 150]
    assert starts(env) == [-1, -1]


def test_an_agent_that_picks_the_head_again_lets_time_go_on() -> None:
    """This changes nothing, and after four such answers time goes to the first job's end."""
    env = begun(((0, 2, 30, 30), (0, 4, 30, 30), (0, 1, 30, 30)), mode="order+guard")
    env.step(0)
    env.step(0)
    assert env.action_masks().tolist() == [False, True, False, True]
    assert times(env, 0, 4) == [0, 0, 0, 30]


@pytest.mark.parametrize("mode", ["order", "order+guard"])
def test_an_agent_that_ignores_the_mask_is_warned_of_once(mode: str) -> None:
    """The tenth forbidden answer in a row warns; a sensible one starts the count again."""
    env = begun(((0, 1, 30, 30), (0, 2, 30, 30), (9000, 4, 30, 30)), mode=mode)
    times(env, WAIT, 9)
    env.step(0)
    times(env, WAIT, 9)
    with pytest.warns(UserWarning, match="action_masks.. forbids, 10 in a row"):
        env.step(WAIT)
    times(env, WAIT, 30)  # warnings are errors: there is no second one


def test_an_agent_that_picks_is_not_warned_of() -> None:
    """In that mode the rules define what an action that does not fit does."""
    env = begun(THREE)
    env.step(0)
    assert times(env, 0, 20)[-1] > 0


def test_when_ordering_easy_fills_in() -> None:
    """The agent only chooses a head: jobs that do not delay it start, and time goes on."""
    rows = ((0, 2, 30, 30), (0, 4, 30, 30), (0, 1, 40, 40), (0, 1, 30, 30))
    env = begun(rows, mode="order")
    env.step(0)
    env.step(0)
    assert starts(env) == [0, -1, -1, 0]
    assert now(env) == 30
