"""The address of slurmrestd and its token: mistakes are refused before any request."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from schedlab.errors import InputError, PeerError, SchedlabError
from schedlab.live.slurm.rest import SITE_FILE, SlurmRest
from schedlab.live.slurm.token import read_token


def site(folder: Path, **more: str) -> Path:
    """Return a folder that names a slurmrestd."""
    keys = {"url": "http://127.0.0.1:1", "token": "token", "user": "ops"} | more
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / SITE_FILE).write_text("\n".join(lines))
    (folder / "token").touch(0o600)
    (folder / "token").write_text("SLURM_JWT=a.b.c\n")
    return folder


def test_a_token_is_read_as_scontrol_prints_it(tmp_path: Path) -> None:
    """The token file has the line that scontrol prints; only its owner can reach it."""
    assert read_token(site(tmp_path) / "token") == "a.b.c"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606, 0o620])
def test_a_token_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    """A user who can read it can steer; one who can write it decides in whose name."""
    path = site(tmp_path) / "token"
    path.chmod(mode)
    with pytest.raises(InputError, match=f"has mode {mode:03o}, others can reach it; run: chmod"):
        SlurmRest.find(tmp_path)


def test_a_token_that_has_expired_is_told(tmp_path: Path) -> None:
    """Slurm itself would only say that something failed."""
    body = base64.urlsafe_b64encode(json.dumps({"exp": 1000, "sun": "ops"}).encode()).decode()
    path = site(tmp_path) / "token"
    path.write_text(f"a.{body.rstrip('=')}.c")
    with pytest.raises(InputError, match="the token has expired at 1970"):
        SlurmRest.find(tmp_path)
    for text in ("", "é", "a\nb"):
        path.write_text(text)
        with pytest.raises(InputError, match="is not a token"):
            read_token(path)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("url", "127.0.0.1:6820", "must look like"),
        ("url", "http://slurm.example.org:6820", "cross the network unencrypted"),
        ("url", "unix:relative", "must look like"),
        ("url", "https://a/b", "must look like"),
        ("version", "v0.0.36", "must be v0.0.37 or later"),
        ("version", "../x", "must be v0.0.37 or later"),
        ("user", "ops\r\nX-More: 1", "must be the name of an account"),
        ("port", "6820", "known: token, url, user, version"),
    ],
)
def test_what_cannot_be_right_is_told(tmp_path: Path, key: str, value: str, why: str) -> None:
    """The error names the file, the value and what is allowed."""
    with pytest.raises(SchedlabError, match=why):
        SlurmRest.find(site(tmp_path, **{key: value}))


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "unix:/nowhere/socket"])
def test_a_slurmrestd_that_is_not_there_is_no_end(tmp_path: Path, url: str) -> None:
    """Only this request fails; the next period tries again."""
    rest = SlurmRest.find(site(tmp_path, url=url))
    with pytest.raises(PeerError, match="slurmrestd"):
        rest.get("jobs/")


def test_a_token_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    """Reading a pipe would wait for ever if no process writes into it."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(InputError, match="is not a regular file"):
        read_token(tmp_path / "pipe")
