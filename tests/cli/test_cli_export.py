"""schedlab learn export: a model for machines without torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.slow

Run = Callable[..., Any]

TINY = """
[environment]
nodes = 4
visible_jobs = 4
mode = "order+guard"
observation = "jobs"

[episodes]
workload = "lublin:nodes=4"
jobs = 5

[train]
algorithm = "maskable-ppo"
network = "kernel"
envs = 2
steps = 16

[ppo]
n_steps = 8
batch_size = 16
n_epochs = 1

[evaluation]
episodes = 1
"""

WITHOUT_TRAINERS = """
import sys
blocked = ("torch", "stable_baselines3", "sb3_contrib", "gymnasium", "safetensors", "onnx")
sys.modules.update(dict.fromkeys(blocked))
from schedlab.cli import main
main()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model file of a very short training."""
    from schedlab.rl.train import train
    from schedlab.rl.training_config import read_training

    folder = tmp_path_factory.mktemp("training")
    (folder / "tiny.toml").write_text(TINY)
    return train(read_training(folder / "tiny.toml"), folder / "out").model


def test_scheduling_needs_nothing_that_trains(
    run: Run, model: Path, head_blocked: str, tmp_path: Path
) -> None:
    """Without torch the exported file gives the same figures, and sends no telemetry."""
    file = tmp_path / "policy.onnx"
    assert run("learn", "export", model, "--out", file).exit_code == 0
    arguments = ["simulate", head_blocked, "--nodes", "4", "--tick", "60", "--json", "--policy"]
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    del home["ORT_DISABLE_TELEMETRY"]
    bare = subprocess.run(
        [sys.executable, "-c", WITHOUT_TRAINERS, *arguments, f"learned:{file}"],
        capture_output=True,
        text=True,
        check=False,
        env=home,
    )
    assert bare.returncode == 0
    assert bare.stderr.startswith("simulated 3 jobs in")
    assert bare.stderr.count("\n") == 1
    by_model = run(*arguments, f"learned:{model}")
    [exported], [trained] = (json.loads(each.stdout) for each in (bare, by_model))
    assert (exported["policy"], trained["policy"]) == (f"learned:{file}", f"learned:{model}")
    assert exported["mean_wait_s"] == trained["mean_wait_s"]
    assert not (tmp_path / "cache").exists()


def test_the_file_is_put_beside_the_model(
    run: Run, model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without ``--out`` it goes there; messages of torch's exporter are not shown."""
    done = run("learn", "export", model)
    file = model.with_suffix(".onnx")
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"written: {file}\n", "")
    assert capfd.readouterr() == ("", "")
    done = run("learn", "export", model, "--json")
    assert json.loads(done.stdout) == {"model": str(model), "onnx": str(file)}


def test_mistakes_take_one_line(run: Run, model: Path, tmp_path: Path) -> None:
    """Exit code 2, and nothing is left behind."""
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    mistakes = {
        ("learn", "export", model, "--out", tmp_path / "a.zip"): "a.zip: must end in .onnx",
        ("learn", "export", model, "--out", tmp_path / "no" / "a.onnx"): "no does not exist",
        ("learn", "export", tmp_path / "no.zip"): "no.zip: no such file",
        (
            "learn",
            "export",
            tmp_path / "bad.onnx",
            "--out",
            tmp_path / "a.onnx",
        ): "or no schedlab model",
        ("simulate", model, "--policy", f"learned:{tmp_path / 'bad.onnx'}"): "or no ONNX file",
    }
    for arguments, sentence in mistakes.items():
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (2, "")
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["bad.onnx"]
