"""The site folder holds all that a site has, and says what is wrong with it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import get_type_hints

import pytest
from hypothesis import given, settings
from tests.slurm.site_strategies import SITES

from schedlab.errors import InputError, PlatformError, SchedlabError
from schedlab.platform import Platform
from schedlab.slurm import (
    Accounts,
    Association,
    Qos,
    SlurmSite,
    defaults_of,
    read_site,
    write_site,
)
from schedlab.slurm.parameters import SECTIONS


@settings(max_examples=25)
@given(SITES)
def test_a_site_is_read_as_it_was_written(site: SlurmSite) -> None:
    """Nothing is lost or rounded: the twin must see what the import found."""
    with TemporaryDirectory() as folder:
        write_site(site, folder)
        assert read_site(folder) == site


def test_what_can_be_none_is_none_by_default() -> None:
    """TOML has no none: a value that is left out must read as none."""
    for section in (*SECTIONS.values(), Association, Qos):
        for name, hint in get_type_hints(section).items():
            if isinstance(hint, UnionType):
                default = next(each.default for each in fields(section) if each.name == name)
                assert default is None, f"{section.__name__}.{name}"


def test_defaults_follow_the_version() -> None:
    """Slurm changed some defaults between 22.05 and 25.11."""
    assert defaults_of("22.05.8").priority.type == "priority/basic"
    assert defaults_of("25.11").select.type == "select/cons_tres"
    assert defaults_of("22.05").scheduler == defaults_of("25.11").scheduler
    with pytest.raises(SchedlabError, match="not a version of Slurm"):
        defaults_of("new")


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("slurm.toml", "[scheduler]\nbf_intervall_s = 3\n", 'did you mean "bf_interval_s"'),
        ("slurm.toml", "[scheduler]\nbf_interval_s = -3\n", "must be a whole number >= 0"),
        ("slurm.toml", "version = 22\n", "version is 22; must be a text"),
        ("slurm.toml", 'version = "new"\n', "not a version of Slurm"),
        ("slurm.toml", "nonsense\n", "slurm.toml:1: not TOML"),
        ("accounts.toml", "[[associations]]\n", 'did you mean "association"'),
        ("accounts.toml", '[[association]]\naccount = "a"\nuser = "u"\n', "has no association"),
        ("machine.toml", "", "machine.toml: is empty"),
    ],
)
def test_a_broken_folder_is_told_in_a_sentence(
    tmp_path: Path, file: str, text: str, says: str
) -> None:
    """Operators edit these files by hand."""
    write_site(SlurmSite(Platform.homogeneous(2)), tmp_path)
    (tmp_path / file).write_text(text)
    with pytest.raises(SchedlabError, match=says):
        read_site(tmp_path)


def test_the_history_of_another_site_does_not_stay(tmp_path: Path) -> None:
    """A folder that is written again holds one site."""
    site = SlurmSite(Platform.homogeneous(2))
    (tmp_path / "history.parquet").write_text("of another site")
    write_site(site, tmp_path)
    assert read_site(tmp_path) == site


def test_no_folder_is_told_with_what_makes_one(tmp_path: Path) -> None:
    """A newcomer makes this mistake first."""
    with pytest.raises(InputError, match="schedlab slurm import"):
        read_site(tmp_path / "none")


def test_accounts_that_contradict_each_other_are_refused() -> None:
    """Fair share walks up the tree, so the walk must end."""
    root = Association("root")
    with pytest.raises(PlatformError, match="above itself"):
        Accounts((Association("a", parent="b"), Association("b", parent="a")))
    with pytest.raises(PlatformError, match='parent "b" has no association'):
        Accounts((root, Association("a", parent="b")))
    with pytest.raises(PlatformError, match='QOS "low" is to be preempted'):
        Accounts((root,), (Qos("high", preempt=("low",)),))


def test_the_accounts_above_a_user_come_nearest_first() -> None:
    """Limits and shares are looked up from the user to the root."""
    user = Association("b", "anna")
    tree = Accounts(
        (Association("root"), Association("a", parent="root"), Association("b", parent="a"), user)
    )
    assert [each.account for each in tree.above(user)] == ["b", "a", "root"]
