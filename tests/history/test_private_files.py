"""Only their owner can read the files in which the history keeps data about people."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.history.records import job
from tests.history.tiny_site import tiny_site

from schedlab.command_files import read_secret
from schedlab.errors import InputError
from schedlab.history.demo import store_demo
from schedlab.history.private import exposures, make_private_folder
from schedlab.history.site import read_site
from schedlab.history.store import Store

SECRETS = """
[service.oidc]
issuer = "https://sso.example.org"
client_id = "schedlab"
client_secret_file = "oidc.secret"

[archive]
folder = "archive"
"""


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """A umask under which every user can read a file that is made without care."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_the_files_of_a_store_are_their_owners(tmp_path: Path) -> None:
    """They hold password hashes and every user's jobs; SQLite's log holds the newest jobs."""
    with Store.make(str(tmp_path / "history.db")) as store, store.ingesting():
        store.put([job("1")], source="scheduler")
        found = {path.name: mode(path) for path in tmp_path.iterdir()}
    suffixes = ("", "-wal", "-shm", "-ingest")
    assert found == {f"history.db{suffix}": 0o600 for suffix in suffixes}


def test_folders_are_made_for_their_owner_and_those_there_stay(tmp_path: Path) -> None:
    """New nested folders belong to their owner; a folder that was opened to a group stays open."""
    tmp_path.chmod(0o750)
    make_private_folder(tmp_path / "archive" / "date=2026-01-05")
    folders = (tmp_path, tmp_path / "archive", tmp_path / "archive" / "date=2026-01-05")
    assert [mode(each) for each in folders] == [0o750, 0o700, 0o700]


def test_what_others_can_reach_is_named_with_the_remedy(tmp_path: Path) -> None:
    """A store of an earlier version, an archive and a secret are named, each with its command."""
    site_file = tiny_site(tmp_path).path
    site_file.write_text(site_file.read_text() + SECRETS)
    site, store = read_site(site_file), tmp_path / "history.db"
    Store.make(str(store)).close()
    (tmp_path / "oidc.secret").write_text("secret")
    (tmp_path / "archive").mkdir()
    store.chmod(0o640)
    told = exposures(str(store), site)
    assert told == [
        f"{store}: has mode 640, others can reach it; run: chmod 600 {store}",
        f"{tmp_path}/archive: has mode 755, others can reach it; run: chmod 700 {tmp_path}/archive",
        f"{tmp_path}/oidc.secret: has mode 644, others can reach it; "
        f"run: chmod 600 {tmp_path}/oidc.secret",
    ]
    for each in told:
        assert os.system(each.partition("; run: ")[2]) == 0
    assert exposures(str(store), site) == []


def test_a_server_keeps_its_own_files() -> None:
    """There is no file to check for a store in PostgreSQL."""
    assert exposures("postgresql://me@db.example.org/history", None) == []


def test_the_demo_is_its_makers(tmp_path: Path) -> None:
    """The demo's folder is for its owner only; the folders above it keep the usual mode."""
    site = store_demo(tmp_path / "out" / "demo")
    folders = (tmp_path / "out", tmp_path / "out" / "demo")
    assert [mode(each) for each in folders] == [0o755, 0o700]
    assert exposures(site.store.located(site.path.parent), site) == []


def test_a_secret_is_the_text_of_a_file(tmp_path: Path) -> None:
    """Editors end the file with a newline; a file that is no text is refused, and not shown."""
    path = tmp_path / "secret"
    path.write_text(" pass word\n")
    assert read_secret(path, "password") == "pass word"
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"^password .*secret: must be UTF-8 text$"):
        read_secret(path, "password")
    with pytest.raises(InputError, match=r"^password .*none: no such file$"):
        read_secret(tmp_path / "none", "password")
