"""schedlab serve, and the accounts and tokens that it asks for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.history.tiny_site import tiny_site
from typer.testing import CliRunner

from schedlab.cli import serve
from schedlab.cli.app import app
from schedlab.history import demo
from schedlab.history.store.database import revisions
from schedlab.history.web.access.tokens import PREFIX

pytestmark = pytest.mark.slow
PASSWORD = "correct horse battery\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The tiny site with an empty store, in the current folder."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path)
    assert run("history", "init").exit_code == 0
    return tmp_path


def typed(text: str, *arguments: str) -> tuple[int, str]:
    """Return the exit code and the output for somebody who types the text."""
    result = CliRunner().invoke(app, list(arguments), input=text)
    return result.exit_code, result.output


def test_an_account_is_made_changed_and_removed(site: Path, run: Run) -> None:
    """Somebody at the machine can do this without an account."""
    add = ("history", "user", "add", "ann", "--role", "manager", "--group", "physics")
    assert typed(PASSWORD, *add, "--password-stdin")[0] == 0
    (account,) = json.loads(run("history", "user", "list", "--json").stdout)
    assert (account["role"], account["groups"]) == ("manager", ["physics"])
    assert account["has_password"]
    assert run("history", "user", "change", "ann", "--role", "user", "--disable").exit_code == 0
    (account,) = json.loads(run("history", "user", "list", "--json").stdout)
    assert (account["role"], account["groups"], account["enabled"]) == ("user", [], False)
    assert "disabled" in run("history", "user", "list").stdout
    assert run("history", "user", "remove", "ann").exit_code == 0
    assert json.loads(run("history", "user", "list", "--json").stdout) == []


def test_a_password_is_typed_twice_and_not_shown(site: Path, run: Run) -> None:
    """A typing error would lock the owner out."""
    code, shown = typed(PASSWORD + PASSWORD, "history", "user", "add", "ann")
    assert (code, PASSWORD.strip() in shown) == (0, False)
    code, _ = typed("one password\nanother one\n", "history", "user", "password", "ann")
    assert code != 0


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("user add a/b --single-sign-on", "must be of letters"),
        ("user add ann --role boss --single-sign-on", 'unknown role of an account "boss"'),
        ("user add ann --group g --single-sign-on", "only a manager has groups"),
        ("user remove ann", 'unknown account "ann"'),
        ("token add x --user ann", 'unknown account "ann"'),
        ("token add x --scope write", 'unknown scope "write"'),
        ("token add x --scope admin", 'unknown scope of the role "api": "admin"'),
        ("token add x --days -1", "must be > 0"),
        ("token revoke 123", 'unknown token "123"'),
    ],
)
def test_a_mistake_is_told_in_a_sentence(site: Path, run: Run, command: str, sentence: str) -> None:
    """The exit code is 2, as for every command."""
    result = run("history", *command.split())
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_an_account_is_not_made_twice(site: Path, run: Run) -> None:
    """A second ``add`` would give the account another role."""
    assert run("history", "user", "add", "eve", "--single-sign-on").exit_code == 0
    again = run("history", "user", "add", "eve", "--single-sign-on", "--role", "admin")
    assert (again.exit_code, "user change" in again.stderr) == (2, True)


def test_a_token_is_printed_alone_and_once(site: Path, run: Run) -> None:
    """A script can read it from stdout; the list shows everything but the token itself."""
    printed = run("history", "token", "add", "scheduler hook", "--scope", "ingest").stdout
    assert printed.startswith(PREFIX)
    listed = run("history", "token", "list", "--json").stdout
    (token,) = json.loads(listed)
    assert (token["name"], token["scopes"], token["account"]) == (
        "scheduler hook",
        ["ingest"],
        None,
    )
    assert printed.strip() not in listed
    assert token["expires_s"] - token["created_s"] == pytest.approx(90 * 86_400)
    assert run("history", "token", "revoke", token["id"]).exit_code == 0
    assert json.loads(run("history", "token", "list", "--json").stdout) == []


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("--site missing.toml", "missing.toml"),
        ("--site missing.toml --store history.db", "missing.toml"),
        ("--store missing.db", "make it with: schedlab history init"),
        ("--demo --host 0.0.0.0", "loopback only"),
        ("--demo --store history.db", "of its own"),
        ("--prefix history", "must look like /history"),
        ("--host 203.0.113.1", "cannot listen at 203.0.113.1"),
        ("--port 99999", "must be <= 65535"),
    ],
)
def test_serve_refuses_in_a_sentence(site: Path, run: Run, command: str, sentence: str) -> None:
    """The command refuses before it says that it listens."""
    result = run("serve", *command.split())
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "listening" not in result.stderr
    assert json.loads(run("history", "user", "list", "--json").stdout) == []


def test_the_miniature_site_is_made_once_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start uses it again, unless it is incomplete or of another version."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "MONTH", replace(demo.MONTH, jobs=20))
    folder = Path("out/service-demo")
    made = []
    for mark in (None, None, "0001", "missing"):
        if mark == "missing":
            (folder / "whole").unlink()
        elif mark is not None:
            (folder / "whole").write_text(mark)
        assert serve._make_demo() == folder / "site.toml"
        made.append((folder / "jobs.jsonl").stat().st_mtime_ns)
        assert (folder / "whole").read_text() == revisions()[-1]
    assert made[0] == made[1]
    assert made[1] < made[2] < made[3]


def test_the_month_of_the_miniature_site_ends_now() -> None:
    """A month that ends now has jobs that run and jobs that wait."""
    extent = demo.MONTH.ending_at(2e9)
    assert extent.begins_s + (extent.until_s or 0) == 2_000_000_000
