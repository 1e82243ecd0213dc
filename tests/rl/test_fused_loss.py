"""One kernel finds the slopes that autograd finds; needs Triton and a GPU.

With ``TRITON_INTERPRET=1`` it runs on a processor.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from schedlab.rl.ppo_loss import log_probabilities, ppo_loss
from schedlab.rl.stacked.fused_loss import loss_slopes

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
pytestmark = pytest.mark.skipif(
    not INTERPRETED and not torch.cuda.is_available(), reason="there is no GPU"
)


@pytest.mark.parametrize("masked", [False, True])
def test_the_slopes_are_those_of_autograd(masked: bool) -> None:
    """Three networks have their own coefficients; ratios are inside and beyond the clip range."""
    device = "cpu" if INTERPRETED else "cuda"
    torch.manual_seed(2)
    networks, situations, count = 3, 20, 11
    scores = torch.randn(networks, situations, 16, device=device).requires_grad_()
    values = torch.randn(networks, situations, 8, device=device).requires_grad_()
    mask = torch.rand(networks, situations, count, device=device) < 0.6
    mask[..., 0] = True
    actions = torch.zeros(networks, situations, dtype=torch.long, device=device)
    if not masked:
        actions = torch.randint(count, (networks, situations), device=device)
    given = mask if masked else None
    log_probs = log_probabilities(scores[..., :count], given)
    old = log_probs.gather(-1, actions[..., None])[..., 0].detach()
    old += 0.5 * torch.randn(networks, situations, device=device)
    advantages, returns = torch.randn(2, networks, situations, device=device)
    done = [actions, old, advantages, returns]
    coefficients = {
        "clip_range": torch.tensor([0.1, 0.2, 0.4], device=device),
        "ent_coef": torch.tensor([0.0, 0.01, 0.1], device=device),
        "vf_coef": torch.tensor([0.5, 1.0, 0.1], device=device),
    }
    loss = ppo_loss(log_probs, values[..., 0], *done, **coefficients)
    assert (loss.clip_fraction > 0.1).all()
    expected = torch.autograd.grad(loss.total.sum(), (scores, values))
    with torch.no_grad():
        found = loss_slopes(scores, values, given, done, count, **coefficients)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-7)
