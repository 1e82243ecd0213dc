"""schedlab history report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.history.tiny_site import SITE, tiny_site
from tests.services.smtp import mail_server

WEEK = ("--date", "2023-11-15")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The tiny site, ingested, in the current folder."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path)
    assert run("history", "init").exit_code == 0
    assert run("history", "ingest").exit_code == 0
    return tmp_path / "site.toml"


def test_a_report_is_printed_written_and_sent(site: Path, run: Run) -> None:
    """A report comes as text, as a page, as numbers and as a message."""
    printed = run("history", "report", *WEEK).stdout
    assert printed.startswith("Report on tiny, 13 November to 19 November 2023\n\n3 jobs ended,")
    facts = json.loads(run("history", "report", *WEEK, "--user", "ann", "--json").stdout)
    assert (facts["subject"], facts["use"]["jobs"]) == ({"kind": "user", "name": "ann"}, 3)
    with mail_server() as box:
        site.write_text(
            f'{SITE}[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\n'
            'sender = "schedlab@example.org"\n'
        )
        done = run("history", "report", *WEEK, "--out", "r.html", "--email", "ann@example.org")
    assert done.stdout == "written: r.html\nsent to ann@example.org\n"
    assert "<h1>Report on tiny</h1>" in Path("r.html").read_text()
    assert box.to == ["ann@example.org"]


def test_a_time_without_jobs_is_said_to_be_one(site: Path, run: Run) -> None:
    """A week without jobs is no error."""
    assert "No job ended in this time." in run("history", "report", "--date", "2020-01-01").stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--date yesterday", '--date is "yesterday"; must be a day such as'),
        ("--date 0001-01-01", "lies too far from now"),
        ("--user ann --group physics", "name one of them"),
        ("--out report.doc", "must be .html or .pdf"),
        ("--email ann@example.org", "has no [service.mail]"),
        ("--period day", "day"),
    ],
)
def test_a_mistake_is_one_sentence(site: Path, run: Run, options: str, sentence: str) -> None:
    """The exit code is 2."""
    result = run("history", "report", *options.split())
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
