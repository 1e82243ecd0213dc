"""GPU work that is always the same, recorded once and repeated with a single launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_WARM_UPS = 3


def captured(
    work: Callable[[], None],
    device: torch.device,
    changes: Callable[[], Sequence[Tensor]],
    pool: Any = None,
    *,
    urgent: bool = False,
) -> Callable[[], None]:
    """Return the work as a CUDA graph, or unchanged if the device is a processor.

    Args:
        work: reads and writes the same memory every time, and never waits for the device.
        device: the device that does the work.
        changes: returns the tensors that the work changes. They are restored after the trial runs
            that precede the recording.
        pool: memory that graphs share if they never run at the same time.
        urgent: whether the device does this work before other work.
    """
    if device.type != "cuda":
        return work
    with torch.cuda.device(device):
        _try_out(work, changes())
        graph = torch.cuda.CUDAGraph()
        # A graph keeps the priority of the stream on which it was recorded.
        stream = torch.cuda.Stream(priority=-1) if urgent else None
        with torch.cuda.graph(graph, pool=pool, stream=stream):
            work()
    return graph.replay


def _try_out(work: Callable[[], None], changes: Sequence[Tensor]) -> None:
    """Run the work a few times on a side stream to prepare libraries, and undo its changes."""
    before, chance = [each.clone() for each in changes], torch.cuda.get_rng_state()
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    with torch.no_grad():
        for each, was in zip(changes, before, strict=True):
            each.copy_(was)
    torch.cuda.set_rng_state(chance)
