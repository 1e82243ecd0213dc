"""The output of other programs, line by line, while they run."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from schedlab.errors import InputError, PeerError

_TIMEOUT_S = 60


@contextmanager
def output_of(command: Sequence[str], env: Mapping[str, str] | None = None) -> Iterator[IO[bytes]]:
    """Open the output of a command; raise an error if it cannot be run or fails."""
    with tempfile.TemporaryFile() as complaints:
        process = _start(command, complaints, {**os.environ, **(env or {})})
        assert process.stdout is not None
        try:
            with process.stdout:
                yield process.stdout
        except InputError:
            _finish(process, command, complaints)  # its failure would explain bad output
            raise
        except BaseException:
            process.kill()
            process.wait()
            raise
        _finish(process, command, complaints)


def _start(
    command: Sequence[str], complaints: IO[bytes], env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=env,
        )
    except OSError as error:
        raise PeerError(f"{command[0]}: cannot be run: {error.strerror}") from None


def _finish(process: subprocess.Popen[bytes], command: Sequence[str], log: IO[bytes]) -> None:
    try:
        code = process.wait(_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise PeerError(f"{command[0]}: closed its output but did not end") from None
    if code:
        log.seek(0)
        last = log.read().decode(errors="replace").strip().rpartition("\n")[2]
        raise PeerError(f"{command[0]}: exit code {code}: {last or 'it says nothing'}")
