"""The server that sends e-mail: ``[service.mail]`` of the site file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from schedlab.command_files import read_secret
from schedlab.errors import ParameterError, UnknownNameError

_ADDRESS = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+")
_TLS = ("none", "starttls", "tls")
_LONGEST_S = 3600


@dataclass(frozen=True, kw_only=True)
class MailSection:
    """``[service.mail]``.

    Args:
        server: the name of the SMTP server.
        sender: the address that messages come from.
        port: port of the server.
        tls: ``none``, ``starttls``, or ``tls`` from the first byte on.
        user: the user to log in as, if any.
        password_file: the file with this user's password.
        timeout_s: how long the server may take to answer.
    """

    server: str
    sender: str
    port: int = 25
    tls: str = "none"
    user: str | None = None
    password_file: str | None = None
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        check_address("sender", self.sender)
        if self.tls not in _TLS:
            raise UnknownNameError("tls", self.tls, _TLS)
        if not 1 <= self.port <= 65_535:
            raise ParameterError(f"port is {self.port}; must be from 1 to 65535")
        if (self.user is None) != (self.password_file is None):
            raise ParameterError("user and password_file belong together")
        if not 0 < self.timeout_s <= _LONGEST_S:
            raise ParameterError(
                f"timeout_s is {self.timeout_s:g}; must be > 0 and <= {_LONGEST_S}"
            )

    def password(self, folder: Path) -> str | None:
        """Return the password; the file's path is relative to the site file's folder."""
        if self.password_file is None:
            return None
        return read_secret(folder / self.password_file, "mail password")


def check_address(key: str, address: str) -> None:
    """Refuse a text that is no e-mail address, or more than one."""
    if not _ADDRESS.fullmatch(address):
        raise ParameterError(f'{key} is "{address}"; must be an address such as ops@example.org')


def check_url(key: str, url: str) -> None:
    """Refuse a text that is no web address."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web:
        raise ParameterError(f'{key} is "{url}"; must begin with https:// or http://')
