"""schedlab history alerts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.history.tiny_site import SITE, tiny_site
from tests.services.hook import webhook
from tests.services.smtp import mail_server


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The tiny site, ingested, in the current folder, with alerts turned on."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path, "[service.alerts]\n")
    assert run("history", "init").exit_code == 0
    assert run("history", "ingest").exit_code == 0
    return tmp_path / "site.toml"


def test_what_is_wrong_is_told_with_exit_code_1(site: Path, run: Run) -> None:
    """A script sees an alert by the exit code; just after the last job nothing was wrong."""
    found = run("history", "alerts", "--json")
    assert found.exit_code == 1
    (alert,) = json.loads(found.stdout)
    assert (alert["kind"], alert["subject"]) == ("source-lag", "scheduler")
    assert "No job of source" in run("history", "alerts").stdout
    then = run("history", "alerts", "--at", "2023-11-15T12:10Z")
    assert (then.exit_code, then.stdout) == (0, "nothing is wrong\n")


def test_a_test_reaches_who_would_be_told(site: Path, run: Run) -> None:
    """A test message goes out by e-mail and webhook; a failure is reported in a sentence."""
    with mail_server() as box, webhook() as hook:
        site.write_text(
            f'{SITE}[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\n'
            'sender = "schedlab@example.org"\n[service.alerts]\n'
            f'email = ["ops@example.org"]\nwebhook = "{hook.url}"\n'
        )
        told = run("history", "alerts", "--test")
        hook.status = 403
        refused = run("history", "alerts", "--test")
    assert told.stdout == "sent to ops@example.org\nsent to the webhook\n"
    assert [each["subject"] for each in box.messages] == ["tiny: an alert (test)"] * 2
    assert "This is a test" in hook.documents[0]["text"]
    assert refused.exit_code == 2
    assert "not sent to the webhook: webhook at 127.0.0.1: answered 403" in refused.stderr


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("", "has no [service.alerts]"),
        ("[service.alerts]\n", "no message can be sent"),
        ('[service.alerts]\nwebhook_file = "none"\n', "webhook none: no such file"),
        ("[service.alerts]\nquiet = 22\n", "quiet is 22; must be a text"),
    ],
)
def test_a_mistake_is_one_sentence(site: Path, run: Run, more: str, sentence: str) -> None:
    """The exit code is 2."""
    site.write_text(SITE + more)
    result = run("history", "alerts", "--test")
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
