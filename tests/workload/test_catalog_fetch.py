"""Downloading traces, from a server on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from schedlab.errors import InputError, OutputError, UnknownNameError
from schedlab.workload.catalog import CATALOG, Trace
from schedlab.workload.fetch import default_cache_dir, fetch, find

CONTENT = bytes(range(256)) * 1000
TINY = Trace("tiny", "a test", 1, "nobody", "l_tiny", hashlib.sha256(CONTENT).hexdigest())


@dataclass
class Archive:
    """A tiny archive with the faults of real ones."""

    content: bytes = CONTENT
    ranges: bool = True
    break_after: int | None = None
    status: int = 200
    asked: list[str | None] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> Iterator[Archive]:
    """A server whose behaviour a test can change, and a catalog with its only trace."""
    monkeypatch.setitem(CATALOG, "tiny", TINY)
    monkeypatch.setenv("no_proxy", "*")
    settings = Archive()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(settings))
    settings.url = f"http://127.0.0.1:{server.server_port}/archive/"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield settings
    server.shutdown()
    server.server_close()
    thread.join()


def handler(archive: Archive) -> type[BaseHTTPRequestHandler]:
    """Return a class that answers requests for ``archive``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers["Range"]
            archive.asked.append(wanted)
            if self.path != "/archive/l_tiny/tiny.swf.gz" or archive.status != 200:
                self.send_error(404 if archive.status == 200 else archive.status)
                return
            start = int(wanted[len("bytes=") : -1]) if wanted and archive.ranges else 0
            if start >= len(archive.content):
                self.send_error(416)
                return
            body = archive.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: archive.break_after])

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    return Handler


def test_a_trace_is_downloaded_verified_and_cached(archive: Archive, tmp_path: Path) -> None:
    """The second fetch sends no request."""
    assert find("tiny", cache_dir=tmp_path) is None
    path = fetch("tiny", cache_dir=tmp_path, base_url=archive.url)
    assert path.read_bytes() == CONTENT
    assert [entry.name for entry in tmp_path.iterdir()] == ["tiny.swf.gz"]
    assert fetch("tiny", cache_dir=tmp_path, base_url=archive.url) == path
    assert find("tiny", cache_dir=tmp_path) == path
    assert archive.asked == [None]


def test_progress_is_told_with_the_total(archive: Archive, tmp_path: Path) -> None:
    """A progress bar needs both, and ends full."""
    seen: list[tuple[int, int | None]] = []
    fetch(
        "tiny",
        cache_dir=tmp_path,
        base_url=archive.url,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("ranges", [True, False])
def test_an_interrupted_download_is_resumed(archive: Archive, tmp_path: Path, ranges: bool) -> None:
    """Only the rest is requested; it also works if the server sends the whole file."""
    archive.break_after, archive.ranges = 100_000, ranges
    with pytest.raises(InputError, match=r"broke after 100,000 of 256,000 bytes"):
        fetch("tiny", cache_dir=tmp_path, base_url=archive.url)
    assert find("tiny", cache_dir=tmp_path) is None
    archive.break_after = None
    path = fetch("tiny", cache_dir=tmp_path, base_url=archive.url)
    assert path.read_bytes() == CONTENT
    assert archive.asked == [None, "bytes=100000-"]


def test_a_wrong_digest_is_an_error_and_leaves_nothing(archive: Archive, tmp_path: Path) -> None:
    """A damaged trace must neither be used nor resumed."""
    archive.content = CONTENT[:-1] + b"!"
    with pytest.raises(InputError, match="does not have the SHA-256"):
        fetch("tiny", cache_dir=tmp_path, base_url=archive.url)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_cached_trace_is_fetched_again(archive: Archive, tmp_path: Path) -> None:
    """The cache is verified each time it is used."""
    (tmp_path / "tiny.swf.gz").write_bytes(b"damaged")
    assert fetch("tiny", cache_dir=tmp_path, base_url=archive.url).read_bytes() == CONTENT


def test_a_complete_part_needs_no_server(tmp_path: Path, archive: Archive) -> None:
    """If a download stopped between the last byte and the renaming, nothing is missing."""
    (tmp_path / "tiny.swf.gz.part").write_bytes(CONTENT)
    assert fetch("tiny", cache_dir=tmp_path, base_url=archive.url).read_bytes() == CONTENT
    assert archive.asked == []


def test_a_part_longer_than_the_trace_is_started_anew(archive: Archive, tmp_path: Path) -> None:
    """The server has nothing beyond its end to send."""
    (tmp_path / "tiny.swf.gz.part").write_bytes(CONTENT + b"more")
    assert fetch("tiny", cache_dir=tmp_path, base_url=archive.url).read_bytes() == CONTENT
    assert archive.asked == ["bytes=256004-", None]


def test_what_the_server_answers_is_told(archive: Archive, tmp_path: Path) -> None:
    """The error has the address and the status, such as 404 or 503."""
    archive.status = 503
    with pytest.raises(InputError, match=r"tiny\.swf\.gz: the server answers 503"):
        fetch("tiny", cache_dir=tmp_path, base_url=archive.url)
    archive.status = 200
    with pytest.raises(InputError, match="404"):
        fetch("tiny", cache_dir=tmp_path, base_url=archive.url + "elsewhere")


def test_no_network_is_one_clear_sentence(archive: Archive, tmp_path: Path) -> None:
    """Nothing listens at port 9 of this machine; the reason is the system's."""
    with pytest.raises(InputError, match=r"cannot be reached \(Connection refused\)"):
        fetch("tiny", cache_dir=tmp_path, base_url="http://127.0.0.1:9")
    with pytest.raises(InputError, match="unknown url type"):
        fetch("tiny", cache_dir=tmp_path, base_url="mirror")


def test_an_unwritable_cache_is_an_output_error(archive: Archive, tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        fetch("tiny", cache_dir=tmp_path / "cache", base_url=archive.url)


def test_an_unknown_trace_is_asked_of_nobody(tmp_path: Path) -> None:
    """The catalog answers before any request is sent."""
    with pytest.raises(UnknownNameError, match="unknown trace"):
        fetch("no such trace", cache_dir=tmp_path)


def test_the_cache_is_the_user_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is in XDG_CACHE_HOME if that is set, else in ~/.cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / "schedlab" / "traces"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / ".cache" / "schedlab" / "traces"
