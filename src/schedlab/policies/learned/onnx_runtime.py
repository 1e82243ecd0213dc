"""ONNX Runtime, imported so that it sends no messages to users or to its makers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from schedlab.errors import MissingExtraError

__all__ = ["onnxruntime"]


@contextmanager
def _without_stderr() -> Iterator[None]:
    """Silence native code, which writes to the descriptor itself, whatever Python's stderr is."""
    try:
        kept = os.dup(2)
    except OSError:  # closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


# Official builds report their use over the network unless this is set.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
try:
    # Its import warns of displays that are not GPUs, and no option prevents that.
    with _without_stderr():
        import onnxruntime
except ModuleNotFoundError:
    raise MissingExtraError("ONNX Runtime", "onnx") from None
