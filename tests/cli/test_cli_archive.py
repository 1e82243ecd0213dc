"""schedlab history archive, and history query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.history.tiny_site import SITE, tiny_site

ARCHIVE = '[archive]\nfolder = "kept"\n'
COUNT = "SELECT state, count(*) AS jobs FROM archived_jobs GROUP BY state ORDER BY state"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The tiny site, ingested, in the current folder; it has an archive."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path, ARCHIVE)
    assert run("history", "init").exit_code == 0
    assert run("history", "ingest").exit_code == 0
    return tmp_path / "site.toml"


def test_old_jobs_are_moved_and_asked_about(site: Path, run: Run) -> None:
    """Archived jobs leave the store and can be queried in the archive."""
    done = run("history", "archive", "--before", "2024-01-01")
    assert done.stdout == "jobs moved: 3; new files under kept: 1\n"
    assert json.loads(run("history", "query", COUNT, "--json").stdout) == [
        {"state": "completed", "jobs": 2},
        {"state": "failed", "jobs": 1},
    ]
    assert "completed" in run("history", "query", COUNT).stdout
    assert "3 jobs are in the archive" in run("history", "status").stdout
    assert run("history", "show").exit_code == 2
    assert "the same" in run("history", "ingest", "--since", "start").stdout
    assert json.loads(run("history", "status", "--json").stdout)["jobs"] == 0


def test_the_site_file_says_when_jobs_are_old(site: Path, run: Run) -> None:
    """All jobs here are older than both limits: they are moved, then deleted."""
    site.write_text(f"{SITE}{ARCHIVE}move_after_months = 6\ndelete_after_months = 12\n")
    done = json.loads(run("history", "archive", "--json").stdout)
    assert (done["jobs"], done["deleted"]["jobs"], done["deleted"]["days"]) == (3, 3, 1)
    assert json.loads(run("history", "query", COUNT, "--json").stdout) == []


@pytest.mark.parametrize(
    ("more", "command", "sentence"),
    [
        ("", ("archive", "--before", "2024-01-01"), "has no [archive]"),
        ("", ("query", "SELECT 1"), "has no [archive]"),
        (ARCHIVE, ("archive",), "Give --before"),
        (ARCHIVE, ("archive", "--before", "9999-01-01"), "has not come yet"),
        (ARCHIVE, ("archive", "--before", "soon"), '--before "soon" is not a time'),
        (ARCHIVE, ("query", "SELECT"), "query: Parser Error"),
        (ARCHIVE + "move_after_months = 0\n", ("archive",), "must be 1 to 1200"),
    ],
)
def test_a_mistake_is_told(
    site: Path, run: Run, more: str, command: tuple[str, ...], sentence: str
) -> None:
    """The message says what is allowed, and nothing is moved."""
    site.write_text(SITE + more)
    told = run("history", *command)
    assert told.exit_code == 2
    assert sentence in told.stderr.replace("\n", " ")
    assert not (site.parent / "kept" / "jobs").exists()
