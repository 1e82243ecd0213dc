"""Inputs that only grow: reading goes on where it stopped, whatever happened in between."""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.errors import InputError, ParameterError, PeerError
from schedlab.history.ingest.text_input import ReadPosition, TextInput

texts = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), min_size=1)


@settings(max_examples=40)
@given(texts, st.data())
def test_every_line_is_read_once(lines: list[str], data: st.DataObject) -> None:
    """Two portions give the same lines as one, and the line numbers go on."""
    cut = data.draw(st.integers(0, len(lines)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        source, found = TextInput(str(path), None), []
        place = ReadPosition()
        for portion in (lines[:cut], lines):
            path.write_bytes(b"".join(f"{line}\n".encode() for line in portion))
            place = ReadPosition.parse(str(place))
            found += [(place.number, line) for line in source.lines(place)]
    assert found == list(enumerate(lines, 1))


def test_a_line_still_being_written_is_read_again(tmp_path: Path) -> None:
    """A line without a line end may be incomplete."""
    path, place = tmp_path / "log", ReadPosition()
    path.write_text("one\ntw")
    source = TextInput(str(path), None)
    assert list(source.lines(place)) == ["one", "tw"]
    path.write_text("one\ntwo\n")
    assert list(source.lines(place)) == ["two"]


@pytest.mark.parametrize(
    "text", ["new\n", "old one\n", "another head\nthan before\n", "old one\nnew two\nnew three\n"]
)
def test_a_replaced_file_is_read_from_its_beginning(tmp_path: Path, text: str) -> None:
    """Logs are rotated, so a file with another beginning is a new one."""
    path, place = tmp_path / "log", ReadPosition()
    path.write_text("old one\nold two\n")
    source = TextInput(str(path), None)
    list(source.lines(place))
    path.write_text(text)
    assert list(source.lines(place)) == text.splitlines()


def test_gzip_and_commands_read_alike(tmp_path: Path) -> None:
    """Old logs may be packed, and a command can read a log on another machine."""
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    command = (sys.executable, "-c", "print('one'); print('two')")
    for source in (TextInput(str(packed), None), TextInput(None, command)):
        place = ReadPosition()
        assert list(source.lines(place)) == ["one", "two"]
        assert list(source.lines(place)) == []


def test_a_truncated_gzip_is_an_error(tmp_path: Path) -> None:
    """The lines before the broken place are read first."""
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(b"one\n" * 100_000)[:-30])
    with pytest.raises(InputError, match="cannot be read"):
        list(TextInput(str(packed), None).lines(ReadPosition()))
    packed.write_bytes(gzip.compress(b"")[:10] + b"\xff" * 60)
    with pytest.raises(InputError, match=r"cannot be read: .* invalid block type"):
        list(TextInput(str(packed), None).lines(ReadPosition()))


def test_a_command_that_fails_says_why() -> None:
    """The command's last message is what the operator must correct."""
    script = "import sys; print('one'); print('no route to host', file=sys.stderr); sys.exit(3)"
    with pytest.raises(PeerError, match="exit code 3: no route to host"):
        list(TextInput(None, (sys.executable, "-c", script)).lines(ReadPosition()))
    with pytest.raises(PeerError, match="cannot be run"):
        list(TextInput(None, ("/no/such/program",)).lines(ReadPosition()))


def test_one_of_file_and_command() -> None:
    """A file and a command would be two sources."""
    with pytest.raises(ParameterError, match="either file or command"):
        TextInput(None, None)
    with pytest.raises(ParameterError, match="either file or command"):
        TextInput("a", ("b",))
    with pytest.raises(InputError, match="not one of this source"):
        ReadPosition.parse("yesterday")
