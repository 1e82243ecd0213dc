"""The keys of results cover the code and the files that a policy's name refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.experiments.digest import outside_code


@pytest.mark.parametrize("name", ["model.zip", "model.onnx"])
def test_a_model_trained_anew_is_another_policy(name: str, tmp_path: Path) -> None:
    """Its cells must be computed again, even under the same name."""
    model = tmp_path / name
    model.write_bytes(b"one")
    before = outside_code([f"learned:{model}:predict=last-two"])
    model.write_bytes(b"other")
    assert before != outside_code([f"learned:{model}:predict=last-two"])


def test_a_parameter_is_no_file() -> None:
    """``easy:depth=100`` names no file or code outside the package."""
    assert outside_code(["easy:depth=100", "wait:percentile=95"]) == {}
