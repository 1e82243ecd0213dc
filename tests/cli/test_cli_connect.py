"""schedlab history connect."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_the_files_of_other_portals_are_written(tmp_path: Path, run: Run) -> None:
    """A second run replaces the files."""
    for _ in range(2):
        done = run(
            "history", "connect", "--url", "https://hpc.example.org/history/", "--out", tmp_path
        )
        assert done.exit_code == 0, done.stderr
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {
        "grafana/cluster.json",
        "grafana/users.json",
        "grafana/datasource.yaml",
        "ondemand/schedlab/manifest.yml",
        "ondemand/ondemand.d/schedlab.yml",
    }
    assert json.loads((tmp_path / "grafana/users.json").read_text())["uid"] == "schedlab-users"
    assert "example.org/history/grafana" in (tmp_path / "grafana/datasource.yaml").read_text()


def test_an_address_that_is_none_is_told(tmp_path: Path, run: Run) -> None:
    """The exit code is 2, and nothing is written."""
    done = run("history", "connect", "--url", "hpc.example.org", "--out", tmp_path / "new")
    assert done.exit_code == 2
    assert "must begin with https://" in done.stderr
    assert not (tmp_path / "new").exists()
