"""A mail server on loopback that keeps what it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from tests.services.postgresql import free_port

REFUSED = "nobody@example.org"


@dataclass
class Postbox:
    """The messages that came in, and their recipients.

    Args:
        port: where the server listens.
        needs_login: whether it takes messages only after a login.
        messages: in the order in which they came.
        to: their recipients.
        logins: the names given to log in.
    """

    port: int
    needs_login: bool
    messages: list[EmailMessage] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        """Begin a message."""
        if self.needs_login and not session.authenticated:
            return "530 log in first"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        """Take every address but one."""
        if address == REFUSED:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Keep a message."""
        found = message_from_bytes(envelope.content, policy=default)
        assert isinstance(found, EmailMessage)
        self.messages.append(found)
        self.to += envelope.rcpt_tos
        return "250 OK"

    def authenticate(self, server: Any, session: Any, envelope: Any, *given: Any) -> AuthResult:
        """Let in a client that knows the password."""
        _, data = given
        assert isinstance(data, LoginPassword)
        self.logins.append(data.login.decode())
        return AuthResult(success=data.password == b"letters", handled=False)


@contextmanager
def mail_server(*, needs_login: bool = False) -> Iterator[Postbox]:
    """Run the server until the block ends."""
    box = Postbox(free_port(), needs_login)
    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=box.port,
        authenticator=box.authenticate,
        auth_require_tls=False,
    )
    controller.start()
    try:
        yield box
    finally:
        controller.stop()
