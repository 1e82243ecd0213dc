"""Tell people what the loop does, by a webhook and by e-mail. A failed notice stops nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import SchedlabError
from schedlab.history.notify.mail import MailMessage, send_mail
from schedlab.history.notify.section import MailSection
from schedlab.history.notify.webhook import post_json


@dataclass(frozen=True)
class Notices:
    """Where notices go.

    Args:
        site: the usual name of the site.
        folder: the folder of the site; paths of the mail section count from it.
        webhook: the URL that gets notices as JSON.
        email: the addresses that get notices.
        mail: the mail server.
    """

    site: str
    folder: Path
    webhook: str | None = None
    email: tuple[str, ...] = ()
    mail: MailSection | None = None

    def send(self, kind: str, text: str, **more: Any) -> list[str]:
        """Send a notice to all receivers; return a sentence for each that failed."""
        failed = []
        if self.webhook is not None:
            document = {"site": self.site, "kind": kind, "text": text, **more}
            failed += _tried(lambda: post_json(self.webhook or "", document))
        if self.email and self.mail is not None:
            lines = [text, *(f"{key.replace('_', ' ')}: {value}" for key, value in more.items())]
            message = MailMessage(f"{self.site}: {text}", "\n".join(lines) + "\n")
            mail = self.mail
            failed += _tried(lambda: send_mail(mail, self.folder, self.email, message))
        return failed


def _tried(send: Any) -> list[str]:
    try:
        send()
    except SchedlabError as error:
        return [str(error)]
    return []
