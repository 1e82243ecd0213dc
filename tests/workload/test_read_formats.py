"""Choosing a reader, and files that no reader can take."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.workload import WRITERS, Workload, read_workload, write_workload
from schedlab.workload.readers import Reader, ReadOptions, Source

DATA = Path(__file__).parents[1] / "data"
SUFFIXES = {
    "swf": "swf",
    "gwf": "gwf",
    "gwf-sqlite": "sqlite",
    "batsim-json": "json",
    "parquet": "parquet",
    "csv": "csv",
}


class OneJob(Reader):
    """A user's own reader, which sees one job in any file."""

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return a workload of one job."""
        columns = ("job_id", "submit_s", "nodes", "request_s", "run_s")
        return Workload({name: [1] for name in columns})


class NotAReader:
    """A class that is no reader."""


@pytest.mark.parametrize("name", WRITERS)
def test_the_suffix_tells_the_format(tmp_path: Path, name: str) -> None:
    """Users name their files after the format."""
    path = tmp_path / f"a.{SUFFIXES[name]}"
    write_workload(read_workload(DATA / "ten.csv"), path)
    assert read_workload(path).provenance[-1]["format"] == name


@pytest.mark.parametrize("name", WRITERS)
def test_without_a_known_suffix_the_content_tells_it(tmp_path: Path, name: str) -> None:
    """Downloads lose their suffix."""
    path = tmp_path / "trace.4.2"
    write_workload(read_workload(DATA / "ten.csv"), path, format=name)
    assert read_workload(path).provenance[-1]["format"] == name


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    """A suffix may be wrong, so an explicit format wins."""
    path = tmp_path / "a.txt"
    path.write_bytes((DATA / "ten.swf").read_bytes())
    assert read_workload(path, format="swf") == read_workload(DATA / "ten.swf")


def test_anybodys_reader_is_accepted_by_its_path() -> None:
    """Outside code needs no registration."""
    name = f"{__name__}:OneJob"
    workload = read_workload(DATA / "ten.swf", format=name)
    assert len(workload) == 1
    assert workload.provenance[-1]["format"] == name


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        ("swt", UnknownNameError, 'unknown format "swt"; did you mean "swf"'),
        (f"{__name__}:NotAReader", ParameterError, "is not a Reader"),
    ],
)
def test_a_wrong_format_is_one_sentence(name: str, error: type[SchedlabError], reason: str) -> None:
    """Names are easily mistyped."""
    with pytest.raises(error, match=reason):
        read_workload(DATA / "ten.swf", format=name)


def binary() -> bytes:
    """Return bytes without meaning, the same in every run."""
    return b"\x7fELF\x00" + random.Random(1).randbytes(3000)


BAD_FILES: dict[str, Callable[[str], bytes]] = {
    "is empty": lambda suffix: b"",
    "is named .gz but is not gzip": lambda suffix: b"; Version: 2\n",
    "gzip file is truncated": lambda suffix: gzip.compress(binary())[:-900],
    "gzip file is damaged": lambda suffix: gzip.compress(b"x" * 5000)[:20] + b"\xff" * 30,
}


@pytest.mark.parametrize("suffix", ["swf", "gwf", "json", "csv"])
@pytest.mark.parametrize("reason", BAD_FILES)
def test_a_bad_gzip_is_one_sentence(tmp_path: Path, suffix: str, reason: str) -> None:
    """Interrupted downloads are the most common bad input."""
    path = tmp_path / f"a.{suffix}.gz"
    path.write_bytes(BAD_FILES[reason](suffix))
    with pytest.raises(InputError, match=reason):
        read_workload(path)


@pytest.mark.parametrize("suffix", SUFFIXES.values())
@pytest.mark.parametrize(
    "content",
    [binary(), b" \n\n", b"\xe9\xe8 1 2\n", b"hello, world\n", b"\xff\xfe;\x00 \x00"],
    ids=["binary", "blank", "Latin-1", "words", "UTF-16"],
)
def test_a_bad_file_of_any_suffix_is_one_sentence(
    tmp_path: Path, suffix: str, content: bytes
) -> None:
    """No one should have to read a traceback to learn that a file is not a workload."""
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.{suffix}") as caught:
        read_workload(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["; Version: 2.2\n", "# Version: 1\n"])
def test_only_comments_is_one_sentence(tmp_path: Path, text: str) -> None:
    """A header alone is not a workload."""
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(InputError, match="has no jobs"):
        read_workload(path)


def test_a_missing_file_a_directory_and_an_unknown_format(tmp_path: Path) -> None:
    """Each mistake in the path itself gets its own sentence."""
    with pytest.raises(InputError, match=r"a\.swf: no such file"):
        read_workload(tmp_path / "a.swf")
    with pytest.raises(InputError, match="is a directory; must be a file"):
        read_workload(tmp_path)
    with pytest.raises(InputError, match="cannot be read: embedded null"):
        read_workload("a\0.swf")
    (tmp_path / "a.xyz").write_text("what is this?\n")
    with pytest.raises(InputError, match="not a known workload format; known formats: swf, gwf"):
        read_workload(tmp_path / "a.xyz")
