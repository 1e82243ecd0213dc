"""Generated files in the repository must be what would be generated now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import schedlab


def test_the_stub_of_the_core_is_up_to_date(tmp_path: Path) -> None:
    """A stub that contradicts its module misleads every reader; `make build` writes it."""
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "schedlab._core", "-o"]
    subprocess.run([*command, str(fresh)], check=True)
    committed = Path(schedlab.__file__).with_name("_core.pyi")
    assert fresh.read_text() == committed.read_text()
