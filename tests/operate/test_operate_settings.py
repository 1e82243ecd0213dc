"""operate.toml: every key known, every value checked before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.errors import SchedlabError
from schedlab.live.peer import Bounds
from schedlab.operate.settings import OperateSettings, read_settings


def test_without_a_file_all_is_as_usual(tmp_path: Path) -> None:
    """All settings have their defaults, and a human is asked."""
    settings, mail = read_settings(tmp_path)
    assert settings == OperateSettings()
    assert settings.gate
    assert mail is None
    assert settings.guards(Bounds(500)).clamp == 500
    assert settings.seconds("round") == 7 * 86_400


def test_a_file_is_read(tmp_path: Path) -> None:
    """The file may also name a mail server."""
    (tmp_path / "operate.toml").write_text(
        '[operate]\npolicies = ["sjf"]\nevery = "30s"\nclamp = 70\nemail = ["ops@example.org"]\n'
        '[mail]\nserver = "localhost"\nsender = "schedlab@example.org"\n'
    )
    settings, mail = read_settings(tmp_path)
    assert settings.policies == ("sjf",)
    assert settings.guards(Bounds(500)).clamp == 70
    assert mail is not None
    assert mail.server == "localhost"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[operate]\npolices = []", 'unknown key or section of .*"polices"'),
        ("[operate]\nevery = 60", "every is 60; must be a text"),
        ('[operate]\nevery = "soon"', "every: "),
        ('[operate]\nevery = "1s"', 'every is "1s"; must be at least 2s'),
        ("[operate]\nwait_error = 2.5", "wait_error is 2.5; must be from 0 to 1"),
        ("[operate]\npolicies = []\ngenerations = 0", "nothing to try"),
        ('[operate]\npolicies = ["best"]', "best"),
        ('[operate]\nmetric = "mean joy"', 'no quantity "joy"'),
        ('[operate]\nkeep = ["max wait"]', "is not a guard"),
        ('[operate]\nwebhook = "ftp://x"', "must begin with https://"),
        ('[operate]\nemail = ["ops@example.org"]', r"email needs a section \[mail\]"),
        ("[operate", "not TOML"),
        ("clamp = 5", "clamp"),
    ],
)
def test_a_mistake_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    """The error names the file, the key and what is allowed."""
    (tmp_path / "operate.toml").write_text(text)
    with pytest.raises(SchedlabError, match=sentence) as raised:
        read_settings(tmp_path)
    assert "operate.toml" in str(raised.value)
