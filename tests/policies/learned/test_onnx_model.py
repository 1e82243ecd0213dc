"""ONNX files as policies: small networks written by hand, right and wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper

from schedlab import _core, simulate
from schedlab.errors import InputError, MissingExtraError, OutsideTrainingWarning
from schedlab.policies import find_policy
from schedlab.policies.learned import QueueSettings
from schedlab.policies.learned.document import MODEL, PROPERTY, write_document
from schedlab.policies.learned.onnx_model import read_onnx
from schedlab.testing.instances import crowd

RULES = QueueSettings(nodes=16, visible_jobs=60, mode="order+guard", observation="jobs")
SIZE = _core.QueuePasses(RULES.options(1.0)).observation_size
ACTIONS = RULES.visible_jobs + 1

Write = Callable[..., Path]


def network(size: int = SIZE, actions: int = ACTIONS) -> Any:
    """Scores actions in falling order whatever it sees, so that it takes the first it may."""
    weights = np.zeros((size, actions), np.float32)
    falling = -np.arange(actions, dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["observation", "weights", "falling"], ["scores"])],
        "scores",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", size])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", actions])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(falling, "falling")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def description(**changes: Any) -> dict[str, Any]:
    """What the reader must know of a model; a value of None is left out."""
    rules = {**vars(RULES), "reward_weights": list(RULES.reward_weights)}
    said = {"environment": rules, "time_scale_s": 100.0, "masked": True, **changes}
    return {key: value for key, value in said.items() if value is not None}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a network with its description."""

    def written(model: Any = None, said: str | Mapping[str, Any] | None = None) -> Path:
        model = model or network()
        said = description() if said is None else said
        text = said if isinstance(said, str) else write_document(MODEL, said)
        if text:
            helper.set_model_props(model, {PROPERTY: text})
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    return written


def test_the_first_job_that_may_is_fcfs_with_easy(write: Write) -> None:
    """The network's constant order of preference is that of arrival."""
    path = write()
    with pytest.warns(OutsideTrainingWarning, match="with 100 s as the longest request; a job"):
        by_network = simulate(crowd(count=60), 16, f"learned:{path}", tick=60)
    assert by_network.policy == f"learned:{path}"
    by_rule = simulate(crowd(count=60), 16, "easy", tick=60)
    assert by_network.start_s.tolist() == by_rule.start_s.tolist()


@pytest.mark.parametrize(("masked", "expected"), [(True, [3, 1]), (False, [0, 0])])
def test_the_mask_counts_where_the_description_says_so(
    masked: bool, expected: list[int], write: Write
) -> None:
    """A network that learnt without is not held back; of several rows each has its own mask."""
    agent = read_onnx(write(said=description(masked=masked))).agent()
    mask = np.zeros((2, ACTIONS), np.uint8)
    mask[0, 3:] = mask[1, [1, -1]] = 1
    assert agent.choose(np.zeros((2, SIZE), np.float32), mask).tolist() == expected


def test_the_scale_of_time_is_that_of_the_training(write: Write) -> None:
    """The rules as they were configured may leave it to the episodes."""
    assert read_onnx(write(said=description(time_scale_s=360))).settings.time_scale_s == 360.0


WRONG: Mapping[str, tuple[Callable[[Write], Path], str]] = {
    "no description": (lambda write: write(said=""), 'has no property "schedlab"'),
    "no JSON": (lambda write: write(said="{"), 'property "schedlab" in it is not JSON'),
    "another kind": (
        lambda write: write(said='{"kind": "cat"}'),
        "holds 'cat'; must be a",
    ),
    "another version": (
        lambda write: write(said=json.dumps({"kind": MODEL, "version": 9})),
        "format version 9; this schedlab reads version 1",
    ),
    "no rules": (
        lambda write: write(said=description(environment=None)),
        "lacks the key environment",
    ),
    "an unknown rule": (
        lambda write: write(said=description(environment={"gpus": 4})),
        '[environment] "gpus"',
    ),
    "a rule beyond the core's numbers": (
        lambda write: write(said=description(environment={"nodes": 10**12})),
        "nodes is 1000000000000; must be from 1 to 2,147,483,647",
    ),
    "no scale": (
        lambda write: write(said=description(time_scale_s="long")),
        "its configuration cannot be understood",
    ),
    "a scale of nothing": (lambda write: write(said=description(time_scale_s=0)), "must be > 0"),
    "no mask": (lambda write: write(said=description(masked="yes")), "must be true or false"),
    "a narrow input": (
        lambda write: write(network(size=7)),
        f"its network does not take the {SIZE} numbers of a situation",
    ),
    "a wide output": (
        lambda write: write(network(actions=9)),
        "gives scores of shape (2, 9) for two situations; must be (2, 61)",
    ),
}


@pytest.mark.parametrize("which", WRONG)
def test_what_is_wrong_is_named(
    which: str, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """One sentence with the file's name, and not a word of ONNX Runtime's own."""
    make, sentence = WRONG[which]
    path = make(write)
    with pytest.raises(InputError) as caught:
        find_policy(f"learned:{path}")
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("length", [1, 20, -200, -1])
def test_a_file_cut_short_is_no_model(
    length: int, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a broken download leaves it."""
    path = write()
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"model.onnx: is damaged, or no ONNX file: \w"):
        find_policy(f"learned:{path}")
    assert capfd.readouterr() == ("", "")


def test_a_description_that_is_no_text_is_damage(
    write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever bytes a disk gives back."""
    path = write()
    path.write_bytes(path.read_bytes().replace(b"environment", b"\xff\xfe\xfdironment"))
    with pytest.raises(InputError, match="is damaged, or no ONNX file"):
        find_policy(f"learned:{path}")
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The policy's name holds a path, which may be wrong."""
    (tmp_path / "folder.onnx").mkdir()
    (tmp_path / "empty.onnx").touch()
    sentences = {"nowhere": "no such file", "folder": "is a directory", "empty": "is empty"}
    for name, sentence in sentences.items():
        with pytest.raises(InputError, match=f"{name}.onnx: {sentence}"):
            find_policy(f"learned:{tmp_path / name}.onnx")


def test_without_onnx_runtime_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is optional, like everything that few need."""
    for name in ("onnx_model", "onnx_runtime"):
        monkeypatch.delitem(sys.modules, f"schedlab.policies.learned.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[onnx\]"'):
        find_policy(f"learned:{tmp_path / 'model.onnx'}")
