"""A person decides before a policy steers: only those who can read the question can answer it.

The code of a question lies in a file that only the account of the loop can read, and goes out with
the notices. An answer from elsewhere, such as from a page of the service, must contain it: an
account of the service alone cannot let a policy steer.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.errors import InputError, OutputError

QUESTION, ANSWERS = "question.json", "answers"
ANSWER, STOP = "answer.json", "stop.json"
LONGEST = 10_000
"""Maximum size of an answer in bytes; a larger file is no answer."""


def hash_of(code: str) -> str:
    """Return what the log keeps of a code."""
    return hashlib.sha256(code.encode()).hexdigest()


@dataclass(frozen=True)
class GateAnswer:
    """The answer of a person.

    Args:
        yes: whether the policy may steer.
        who: the person who answers.
        code: the code of the question.
    """

    yes: bool
    who: str
    code: str


@dataclass(frozen=True)
class Gate:
    """Questions and answers of the loop of a site.

    Args:
        folder: the folder of the loop; others may write to ``answers`` in it.
    """

    folder: Path

    def ask(self, policy: str) -> str:
        """Ask whether a policy may steer; return the code of the question."""
        code = secrets.token_hex(4)
        (self.folder / ANSWERS).mkdir(parents=True, exist_ok=True)
        (self.folder / ANSWERS / ANSWER).unlink(missing_ok=True)
        path = self.folder / QUESTION
        path.unlink(missing_ok=True)
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump({"policy": policy, "code": code}, file)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from None
        return code

    def code(self) -> str:
        """Return the code of the question for its readers; InputError if nothing is asked."""
        path = self.folder / QUESTION
        try:
            return str(json.loads(path.read_text(encoding="utf-8"))["code"])
        except FileNotFoundError:
            raise InputError("nothing is asked: no policy waits for an answer") from None
        except PermissionError:
            raise InputError(f"{path}: only the account of the loop may read it") from None
        except (OSError, ValueError, KeyError):
            raise InputError(f"{path}: is damaged") from None

    def answer(self, answer: GateAnswer) -> None:
        """Leave an answer; the loop takes it if its code is right."""
        said = {"yes": answer.yes, "who": answer.who, "code": answer.code}
        self._leave(ANSWER, {**said, "at": round(time.time(), 3)})

    def heard(self, code_hash: str) -> GateAnswer | None:
        """Return the answer to the question with this code; discard any other answer."""
        path = self.folder / ANSWERS / ANSWER
        said = _read(path)
        if said is None:
            return None
        path.unlink(missing_ok=True)
        code = str(said.get("code", ""))
        if not hmac.compare_digest(hash_of(code), code_hash):
            return None
        (self.folder / QUESTION).unlink(missing_ok=True)
        return GateAnswer(said.get("yes") is True, str(said.get("who", ""))[:200], code)

    def stop(self, who: str) -> None:
        """Ask the loop to stop the steering; stopping is safe, so it needs no code."""
        self._leave(STOP, {"who": who, "at": round(time.time(), 3)})

    def stopped_by(self) -> str | None:
        """Return who has asked for a stop, and delete the request."""
        path = self.folder / ANSWERS / STOP
        said = _read(path)
        if said is None:
            return None
        path.unlink(missing_ok=True)
        return str(said.get("who", "somebody"))[:200]

    def _leave(self, name: str, document: dict[str, object]) -> None:
        path = self.folder / ANSWERS / name
        if not path.parent.is_dir():
            raise InputError(f"{path.parent}: there is no loop at this site")
        try:
            with atomic_write(path) as temporary:
                temporary.write_text(json.dumps(document) + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from None


def _read(path: Path) -> dict[str, object] | None:
    try:
        text = path.read_bytes()
    except OSError:
        return None
    try:
        said = json.loads(text) if len(text) <= LONGEST else {}
    except ValueError:
        said = {}
    return said if isinstance(said, dict) else {}
