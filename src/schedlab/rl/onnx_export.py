"""Trained models as ONNX files, which schedule without torch."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from schedlab.atomic import atomic_write
from schedlab.errors import MissingExtraError
from schedlab.policies.learned.document import MODEL, PROPERTY, write_document
from schedlab.rl.model_file import TrainedModel
from schedlab.rl.networks import ActorCritic, action_scores

try:
    import onnxscript  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtraError("onnxscript", "rl") from None


class _Scores(nn.Module):
    """The part of a policy that decides, without the value, which only training needs."""

    def __init__(self, policy: ActorCritic) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: Tensor) -> Tensor:
        return action_scores(self.policy, observation)


def export_onnx(model: TrainedModel, path: str | Path) -> None:
    """Write the network and the document of its model file, whole or not at all."""
    model.config.require_queue()  # no reader accepts such a file for another environment
    network = _network(model)
    document = {**model.document(), "masked": model.config.greedy_masked}
    network.metadata_props.add(key=PROPERTY, value=write_document(MODEL, document))
    with atomic_write(path) as temporary:
        temporary.write_bytes(network.SerializeToString(deterministic=True))


def _network(model: TrainedModel) -> Any:
    """Return the network in ONNX's form: from rows of observations to rows of scores."""
    policy: Any = model.agent().policy
    rows = torch.zeros(2, *policy.observation_space.shape)
    # The exporter logs which other packages it could use, and its warnings are for its developers.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(action="ignore"):
        program = torch.onnx.export(
            _Scores(policy).eval(),
            (rows,),
            input_names=["observation"],
            output_names=["scores"],
            dynamic_shapes=({0: torch.export.Dim("batch")},),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    network = program.model_proto
    # Readers of the file do not need the source file and the line of each operation.
    for part in (*network.graph.node, *network.graph.value_info):
        part.ClearField("metadata_props")
    return network
