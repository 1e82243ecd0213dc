"""An exported model schedules as the model file does, start by start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

import onnx
import torch

from schedlab.policies.learned.document import MODEL, PROPERTY, read_document
from schedlab.policies.learned.onnx_model import read_onnx
from schedlab.rl.model_file import TrainedModel, read_model
from schedlab.rl.onnx_export import export_onnx
from schedlab.testing.instances import crowd
from schedlab.workload import generate

pytestmark = pytest.mark.slow

Make = Callable[..., Any]

PICK = {
    "mode": "pick",
    "observation": "proposal",
    "reward": "terminal",
    "sim_step_s": 600,
    "max_steps": 300,
}
NETWORKS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "kernel, masked": {},
    "kernel, no mask": {
        "train": {"algorithm": "ppo"},
        "environment": {**PICK, "observation": "jobs"},
    },
    "kernel, masked though it learnt without": {"train": {"algorithm": "a2c"}},
    "acer, kernel": {
        "train": {"algorithm": "acer"},
        "acer": {"masked": True},
    },
    "acer, widths": {
        "environment": PICK,
        "train": {"algorithm": "acer", "network": [16, 8]},
    },
    "nn1": {"environment": PICK, "train": {"network": "nn1", "algorithm": "ppo"}},
    "nn2, masked": {"environment": PICK, "train": {"network": "nn2"}},
    "other widths": {"environment": PICK, "train": {"network": [16, 8]}},
    "a shared trunk": {
        "environment": {**PICK, "observation": "baseline"},
        "train": {"network": [32, 16], "shared_trunk": True, "algorithm": "ppo"},
    },
}


def exported(path: Path) -> Path:
    """Export the model to an ONNX file beside it; return the file."""
    to = path.with_suffix(".onnx")
    export_onnx(read_model(path), to)
    return to


LARGE = ("nn1", "nn2, masked")


@pytest.mark.parametrize(
    "which",
    [pytest.param(name, marks=pytest.mark.slow if name in LARGE else ()) for name in NETWORKS],
)
def test_the_schedule_is_that_of_the_model_file(
    which: str, drawn: Make, scheduled_starts: Make
) -> None:
    """Starts are equal, for jobs that come at once and over time; scores agree in a batch."""
    torch.set_num_threads(1)
    path = drawn(3, **NETWORKS[which])
    to = exported(path)
    for workload in (crowd(count=60), generate("lublin:nodes=16", 50, seed=1)):
        starts = scheduled_starts(path, workload)
        assert len(set(starts)) > 1
        assert scheduled_starts(to, workload) == starts
    by_torch, by_onnx = read_model(path).agent(), read_onnx(to).agent()
    space: Any = by_torch.policy.observation_space
    rows = np.random.default_rng(0).random((5, *space.shape), np.float32)
    np.testing.assert_allclose(by_onnx.scores(rows), by_torch.scores(rows), rtol=1e-4, atol=1e-3)


def test_the_file_says_all_that_the_model_file_says(drawn: Make) -> None:
    """It has configuration, scale, steps, results and versions, but not who exported it where."""
    path = drawn()
    to = exported(path)
    model: TrainedModel = read_model(path)
    properties = {each.key: each.value for each in onnx.load(to).metadata_props}
    document = read_document(to, PROPERTY, properties[PROPERTY], MODEL)
    assert {**model.document(), "masked": True}.items() <= document.items()
    assert set(document) >= {"environment", "train", "time_scale_s", "steps", "results", "versions"}
    assert str(Path(__file__).parents[2]).encode() not in to.read_bytes()
    onnx.checker.check_model(onnx.load(to), full_check=True)


def test_the_same_model_gives_the_same_bytes(drawn: Make, tmp_path: Path) -> None:
    """So a digest of the file shows whether the policy has changed."""
    model = read_model(drawn(**NETWORKS["other widths"]))
    for name in ("one.onnx", "other.onnx"):
        export_onnx(model, tmp_path / name)
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "other.onnx").read_bytes()
