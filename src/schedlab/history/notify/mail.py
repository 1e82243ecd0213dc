"""Send e-mail."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path

from schedlab.errors import ServiceError
from schedlab.history.notify.section import MailSection


@dataclass(frozen=True)
class Attachment:
    """A file that is attached to a message."""

    name: str
    content: bytes
    media_type: str


@dataclass(frozen=True)
class MailMessage:
    """An e-mail.

    Args:
        subject: one line.
        text: the message as plain text.
        html: the same in HTML, for mail programs that show it.
        attachments: files to attach.
    """

    subject: str
    text: str
    html: str | None = None
    attachments: tuple[Attachment, ...] = ()


def send_mail(section: MailSection, folder: Path, to: Sequence[str], message: MailMessage) -> None:
    """Send a message to each of the addresses; none of them sees the others.

    Raises:
        ServiceError: the server does not answer, or refuses.
    """
    try:
        with _connected(section) as server:
            if section.user is not None:
                server.login(section.user, section.password(folder) or "")
            for address in to:
                server.send_message(_written(section, address, message))
    except (OSError, smtplib.SMTPException) as error:
        where = f"mail server {section.server}, port {section.port}"
        raise ServiceError(f"{where}: {_reason(error)}") from None


def _connected(section: MailSection) -> smtplib.SMTP:
    place = (section.server, section.port)
    if section.tls == "tls":
        context = ssl.create_default_context()
        return smtplib.SMTP_SSL(*place, timeout=section.timeout_s, context=context)
    server = smtplib.SMTP(*place, timeout=section.timeout_s)
    if section.tls == "starttls":
        try:
            server.starttls(context=ssl.create_default_context())
        except BaseException:
            server.close()
            raise
    return server


def _written(section: MailSection, address: str, message: MailMessage) -> EmailMessage:
    written = EmailMessage()
    written["Subject"] = " ".join(message.subject.split())
    written["From"], written["To"] = section.sender, address
    written["Date"] = formatdate(usegmt=True)
    written["Message-ID"] = make_msgid(domain=section.sender.rpartition("@")[2])
    written["Auto-Submitted"] = "auto-generated"  # prevents replies such as holiday notes
    written.set_content(message.text)
    if message.html is not None:
        written.add_alternative(message.html, subtype="html")
    for each in message.attachments:
        kind, _, subtype = each.media_type.partition("/")
        written.add_attachment(each.content, kind, subtype, filename=each.name)
    return written


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        return f"refused the recipient: {code} {_decoded(said)}"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"refused: {error.smtp_code} {_decoded(error.smtp_error)}"
    return (getattr(error, "strerror", None) or str(error) or "no answer").lower()


def _decoded(said: bytes | str) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said
