"""slurmrestd: requests with a token, by HTTP or a Unix socket."""

from __future__ import annotations

import getpass
import ipaddress
import json
import re
import socket
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from schedlab.errors import InputError, PeerError
from schedlab.live.peer import TIMEOUT_S
from schedlab.live.slurm.token import read_token
from schedlab.sections import build, parse_toml

SITE_FILE = "slurmrestd.toml"
_VERSION = re.compile(r"v0\.0\.(\d{2,3})")
OLDEST = 37
"""v0.0.36 does not say which user a job belongs to."""
_NOTHING_FOUND = 9003
"""The error number with which slurmrestd reports an empty answer."""
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\$?")


@dataclass(frozen=True)
class RestFile:
    """The content of ``slurmrestd.toml`` in a site folder.

    Args:
        url: such as ``http://127.0.0.1:6820``, ``https://...`` or ``unix:/run/slurmrestd.socket``.
        token: the file of the token; a relative path counts from the site folder.
        user: the user that the token belongs to. Default: the account that runs this.
        version: the version of the API.
    """

    url: str
    token: str
    user: str | None = None
    version: str = "v0.0.38"


@dataclass(frozen=True)
class SlurmRest:
    """A slurmrestd, asked in the name of a user.

    Args:
        url: where it is.
        token: the file of the token; read for each request, so that it may be replaced.
        user: the user that the token belongs to.
        version: the version of the API.
    """

    url: str
    token: Path
    user: str
    version: str

    @classmethod
    def find(cls, folder: Path) -> SlurmRest:
        """Find the slurmrestd of a site folder; InputError for an invalid file."""
        path = folder / SITE_FILE
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        told = build(RestFile, parse_toml(path, text), str(path))
        _check_url(told.url, path)
        version = _VERSION.fullmatch(told.version)
        if version is None or int(version[1]) < OLDEST:
            raise InputError(
                f'{path}: version is "{told.version}"; must be v0.0.{OLDEST} or later, such as '
                f'"{RestFile.version}"'
            )
        user = told.user or getpass.getuser()
        if not _USER.fullmatch(user):
            raise InputError(f'{path}: user is "{user}"; must be the name of an account')
        made = cls(told.url, folder / told.token, user, told.version)
        read_token(made.token)
        return made

    def get(self, what: str, timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
        """Ask slurmctld, for example for ``jobs/``; PeerError if it does not answer, or refuses."""
        return self._ask("GET", f"/slurm/{self.version}/{what}", None, timeout_s)

    def get_accounting(self, what: str, timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
        """Ask slurmdbd, for example for ``job/7``."""
        return self._ask("GET", f"/slurmdb/{self.version}/{what}", None, timeout_s)

    def post(self, what: str, document: dict[str, Any], timeout_s: float = TIMEOUT_S) -> None:
        """Change an object of slurmctld, for example ``job/7``."""
        self._ask("POST", f"/slurm/{self.version}/{what}", document, timeout_s)

    def _ask(
        self, method: str, path: str, document: dict[str, Any] | None, timeout_s: float
    ) -> dict[str, Any]:
        try:
            token = read_token(self.token)
        except InputError as error:  # the token was valid at first: it may be valid again soon
            raise PeerError(str(error)) from None
        headers = {"X-SLURM-USER-NAME": self.user, "X-SLURM-USER-TOKEN": token}
        headers |= {"Accept": "application/json", "Connection": "close"}
        if document is not None:
            headers["Content-Type"] = "application/json"
        body = None if document is None else json.dumps(document)
        connection = _connection(self.url, timeout_s)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            status, text = answer.status, answer.read()
        except TimeoutError:
            raise PeerError(f"slurmrestd: no answer within {timeout_s:g} s") from None
        except (OSError, HTTPException) as error:
            raise PeerError(f"slurmrestd: {self.url}: {error}") from None
        finally:
            connection.close()
        return _understood(status, text)


def _understood(status: int, text: bytes) -> dict[str, Any]:
    """Return the document of an answer; PeerError if the answer reports an error."""
    if status in (401, 403):
        raise PeerError(f"slurmrestd refuses the token (HTTP {status})")
    try:
        answer = json.loads(text)
    except ValueError:
        raise PeerError(f"slurmrestd: HTTP {status}, and no JSON") from None
    if not isinstance(answer, dict):
        raise PeerError("slurmrestd: not an object")
    for each in answer.get("errors") or ():
        told = each if isinstance(each, dict) else {}
        if told.get("error_number") == _NOTHING_FOUND:
            return answer
        if status == 200 and _is_done(told):
            continue
        words = [str(told[key]) for key in ("description", "error") if told.get(key)]
        raise PeerError(f"slurmrestd: {': '.join(words) or each}")
    if status != 200:
        raise PeerError(f"slurmrestd: HTTP {status}")
    return answer


def _is_done(error: dict[str, Any]) -> bool:
    """Return whether the change was made in spite of the error.

    Slurm 22.05 says of each change of an array that it failed, but not why.
    """
    is_array = str(error.get("description", "")).startswith("job array update")
    return is_array and not error.get("error_number")


def _check_url(url: str, path: Path) -> None:
    """Refuse an invalid address, and one that would send the token unencrypted over a network."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme == "unix" and parts.path.startswith("/") and not parts.netloc:
        return
    if parts.scheme not in ("http", "https") or not host or parts.path.strip("/") or parts.query:
        raise InputError(
            f'{path}: url is "{url}"; must look like http://127.0.0.1:6820, '
            "https://slurm.example.org or unix:/run/slurmrestd.socket"
        )
    if parts.scheme == "http" and not _is_loopback(host):
        raise InputError(
            f'{path}: url is "{url}": the token would cross the network unencrypted; use https, a '
            "Unix socket, or a loopback address"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _connection(url: str, timeout_s: float) -> HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return _UnixConnection(parts.path, timeout_s)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout_s)


class _UnixConnection(HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
