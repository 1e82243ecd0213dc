"""Actions drawn by the probabilities of a network."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.policies.learned.agent import GreedyAgent, Observations, SamplingAgent

SHARES = np.array([0.6, 0.3, 0.1])
DRAWS = 20_000


class Constant(GreedyAgent):
    """Has the same opinion of every situation."""

    def scores(self, observation: Observations) -> Observations:
        """Logits of ``SHARES``, up to a constant."""
        return np.tile(np.log(SHARES) + 5, (len(observation), 1)).astype(np.float32)


def shares(agent: SamplingAgent, *allowed: int) -> list[float]:
    """How often each action is drawn."""
    mask = np.tile(np.array(allowed, np.uint8), (DRAWS, 1))
    actions = agent.choose(np.zeros((DRAWS, 1), np.float32), mask)
    return [float(share) for share in np.bincount(actions, minlength=3) / DRAWS]


def test_actions_come_with_their_probabilities() -> None:
    """The softmax of the scores, whatever constant they are shifted by."""
    sampling = SamplingAgent(Constant(masked=False), seed=1)
    assert shares(sampling, 1, 1, 1) == pytest.approx(SHARES.tolist(), abs=0.015)


def test_masked_actions_are_never_drawn() -> None:
    """The others share what is theirs; an agent without a mask draws them all the same."""
    assert shares(SamplingAgent(Constant(masked=True), seed=1), 0, 1, 1) == pytest.approx(
        [0, 0.75, 0.25], abs=0.015
    )
    assert shares(SamplingAgent(Constant(masked=False), seed=1), 0, 1, 1)[0] > 0.5


def test_the_seed_decides() -> None:
    """The same draws by the same seed, others by another."""
    mask = np.ones((50, 3), np.uint8)
    drawn = [
        SamplingAgent(Constant(masked=True), seed).choose(np.zeros((50, 1), np.float32), mask)
        for seed in (1, 1, 2)
    ]
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
