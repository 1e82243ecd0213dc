"""The command line of agents: the same answer, what they learnt, and clear failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Run = Any


@pytest.fixture
def tight(run: Run, tmp_path: Path) -> Path:
    """Fifteen jobs that do not all fit."""
    path = tmp_path / "tight.toml"
    run("coalloc", "generate", "--jobs", "15", "--slots", "6", "--kind", "ring", "--out", path)
    return path


def test_agents_answer_as_one_process_does(run: Run, tight: Path) -> None:
    """Agents that talk over TCP find the same starts; the answer says what each has learnt."""
    options = ("coalloc", "solve", tight, "--solver", "dpop", "--json")
    alone = json.loads(run(*options).stdout)
    together = json.loads(run(*options, "--agents", "3", "--transport", "tcp").stdout)
    assert together["starts"] == alone["starts"]
    assert together["solver"] == "dpop"
    assert [each["agent"] for each in together["privacy"]] == [1, 2, 3]
    assert alone["privacy"] == []


def test_the_table_of_what_agents_learn(run: Run, tight: Path) -> None:
    """The table has a row for each agent, and ``--privacy`` implies agents."""
    result = run(
        "coalloc", "solve", tight, "--solver", "wd:width=2", "--owners", "job", "--privacy"
    )
    assert result.exit_code == 0
    below = result.stdout.partition("what agents learnt")[2]
    rows = [line for line in below.splitlines() if line[:1].isdigit()]
    assert len(rows) == 15


BAD: dict[str, tuple[list[str], str]] = {
    "no messages": (["--solver", "greedy", "--agents", "2"], 'solver "greedy" sends no messages'),
    "unknown transport": (["--solver", "dpop", "--transport", "tpc"], 'did you mean "tcp"?'),
    "unknown owners": (["--solver", "dpop", "--owners", "jobs"], 'did you mean "job"?'),
    "unknown way": (["--solver", "dpop", "--if-lost", "dorp"], 'did you mean "drop"?'),
    "bad address": (["--solver", "dpop", "--at", "here"], "must be host:port"),
    "dropping": (
        ["--solver", "dpop", "--if-lost", "drop", "--objective", "sum-of-starts,makespan"],
        "cannot be dropped",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_with_agents_is_one_line(what: str, run: Run, tmp_path: Path) -> None:
    """The exit code is 2."""
    path = tmp_path / "roomy.toml"
    run("coalloc", "generate", "--jobs", "8", "--out", path)
    options, sentence = BAD[what]
    result = run("coalloc", "solve", path, *options)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert result.stderr.count("\n") == 1


def test_an_agent_of_its_own(run: Run, tight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent started by hand serves a client with its secret, and ends with that session."""
    secret = "sixteen letters and more"
    command = [sys.executable, "-m", "schedlab", "coalloc", "agent", "--once"]
    environment = {**os.environ, "SCHEDLAB_AGENT_SECRET": secret}
    with subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        monkeypatch.setenv("SCHEDLAB_AGENT_SECRET", secret)
        result = run("coalloc", "solve", tight, "--solver", "dpop", "--at", address, "--json")
        assert process.wait(timeout=300) == 0
    assert json.loads(result.stdout)["counters"]["agents"] == 1


def test_an_absent_agent_is_a_clear_failure(
    run: Run, tight: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 1, since the input was right."""
    monkeypatch.setenv("SCHEDLAB_AGENT_SECRET", "sixteen letters and more")
    result = run("coalloc", "solve", tight, "--solver", "dpop", "--at", "127.0.0.1:1")
    assert result.exit_code == 1
    assert "agent 1 is lost: 127.0.0.1:1: Connection refused" in result.stderr


def test_an_agent_needs_a_secret_and_a_place(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that lacks either does not listen."""
    monkeypatch.delenv("SCHEDLAB_AGENT_SECRET", raising=False)
    assert "set SCHEDLAB_AGENT_SECRET" in run("coalloc", "agent", "--listen", "127.0.0.1:0").stderr
    monkeypatch.setenv("SCHEDLAB_AGENT_SECRET", "sixteen letters and more")
    result = run("coalloc", "agent", "--listen", "192.0.2.1:1")
    assert result.exit_code == 2
    assert "cannot listen at 192.0.2.1:1" in result.stderr
