"""How the tests run the command line, and the traces they give it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app

Run = Callable[..., Any]

TEN_JOBS = Path(__file__).parents[1] / "data" / "ten.swf"


@pytest.fixture
def ten_jobs() -> str:
    """Ten records with what real archives contain, on 338 nodes."""
    return str(TEN_JOBS)


@pytest.fixture
def head_blocked(tmp_path: Path) -> str:
    """Four nodes; the second job needs them all, so the third may only run in its shadow."""
    path = tmp_path / "head_blocked.csv"
    path.write_text(
        "job_id,submit_s,nodes,request_s,run_s,user\n"
        "1,0,2,100,100,ann\n"
        "2,1,4,100,50,bob\n"
        "3,2,2,90,90,ann\n"
    )
    return str(path)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command within this process."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def invoke(*arguments: str | Path) -> Any:
        return CliRunner().invoke(app, [str(each) for each in arguments])

    return invoke


@pytest.fixture
def schedlab() -> Run:
    """Run a command as users do, in a process of its own."""

    def start(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "schedlab", *(str(each) for each in arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return start
