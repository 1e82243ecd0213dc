"""One kernel clips, improves and copies as plain torch does; needs Triton and a GPU.

With ``TRITON_INTERPRET=1`` it runs on a processor.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch

from schedlab.rl.stacked.adam import StackedAdam

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
pytestmark = pytest.mark.skipif(
    not INTERPRETED and not torch.cuda.is_available(), reason="there is no GPU"
)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_one_kernel_does_what_the_plain_way_does(kind: torch.dtype) -> None:
    """Three steps improve four of five networks with two learning rates."""
    device = "cpu" if INTERPRETED else "cuda"
    torch.manual_seed(1)
    first = torch.randn(5, 4104, device=device)
    slopes = torch.randn(3, 4, 4104, device=device).to(kind)
    scale = torch.tensor([1.0, 0.5, 0.01, 1.0], device=device)
    found = []
    for fused in (False, True):
        learnt = first.clone()
        used = learnt if kind == torch.float32 else learnt.to(kind)
        adam = StackedAdam(learnt, used, [0, 0, 1, 1, 0])
        adam.rates.copy_(torch.tensor([1e-3, 3e-2]))
        adam.fused = fused
        for each in slopes:
            adam.step(1, 5, each, scale)
        found.append((learnt, used))
    torch.testing.assert_close(found[0][0], found[1][0], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(found[1][1].float(), found[1][0], rtol=0.01, atol=0)
    assert torch.equal(found[1][0][0], first[0])
    assert (found[1][0][1:] != first[1:]).float().mean() > 0.99
