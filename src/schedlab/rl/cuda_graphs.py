"""Work of a GPU that is always the same, recorded once and launched as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

_WARM_UPS = 3


def captured(
    work: Callable[[], None], device: torch.device, changes: Callable[[], Sequence[Tensor]]
) -> Callable[[], None]:
    """The work as a CUDA graph; on a processor it stays as it is.

    Args:
        work: reads and writes the same memory every time, and never waits for the device.
        device: where it is done.
        changes: what it changes and must find unchanged: it is tried out before it is recorded.
    """
    if device.type != "cuda":
        return work
    kept = [(each, each.clone()) for each in changes()]
    chance = torch.cuda.get_rng_state(device)
    aside = torch.cuda.Stream(device)
    aside.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            work()
    torch.cuda.current_stream(device).wait_stream(aside)
    with torch.no_grad():
        for each, before in kept:
            each.copy_(before)
    torch.cuda.set_rng_state(chance, device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay
