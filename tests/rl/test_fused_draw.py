"""One kernel draws the same actions as plain torch; needs Triton and a GPU.

With ``TRITON_INTERPRET=1`` it runs on a processor.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from schedlab.rl.ppo_loss import drawn, log_probabilities, taken
from schedlab.rl.stacked.fused_draw import draw

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
pytestmark = pytest.mark.skipif(
    not INTERPRETED and not torch.cuda.is_available(), reason="there is no GPU"
)


@pytest.mark.parametrize("masked", [False, True])
def test_the_same_chance_draws_the_same_actions(masked: bool) -> None:
    """Log-probabilities are the same, too, even for the least and the largest chance."""
    device = "cpu" if INTERPRETED else "cuda"
    torch.manual_seed(3)
    networks, situations, count = 2, 40, 11
    scores = 3 * torch.randn(networks, situations, 16, device=device)
    mask = torch.rand(networks, situations, count, device=device) < 0.5
    mask[..., 4] = True
    chance = torch.rand(networks, situations, device=device)
    chance[0, :2] = torch.tensor([0.0, 1 - 2**-24], device=device)
    given = mask if masked else None
    log_probs = log_probabilities(scores[..., :count], given)
    actions, kept = draw(scores, given, chance, count)
    assert torch.equal(actions, drawn(log_probs, chance))
    torch.testing.assert_close(kept, taken(log_probs, actions))
    assert len(actions.unique()) > 5
