"""What is sent about alerts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schedlab.history.alerts.book import Noted
from schedlab.history.notify.mail import Message
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import Site


def message(site: Site, alerts: Sequence[Noted]) -> Message:
    """The alerts as an e-mail."""
    page = page_url(site, "/alerts")
    parts = [_paragraph(site, each) for each in alerts]
    if page is not None:
        parts.append(f"Acknowledge them at {page}")
    return Message(_title(site, alerts), "\n\n".join(parts) + "\n")


def document(site: Site, alerts: Sequence[Noted]) -> Mapping[str, Any]:
    """The same for a webhook; ``text`` is what chat programs show."""
    return {
        "text": "\n".join([_title(site, alerts), *(each.says for each in alerts)]),
        "site": site.about.name,
        "url": page_url(site, "/alerts"),
        "alerts": [
            {
                "id": each.id,
                "kind": each.kind,
                "subject": each.subject,
                "text": each.says,
                "began": from_epoch(each.began_s).isoformat(),
                "url": page_url(site, each.path),
            }
            for each in alerts
        ],
    }


def page_url(site: Site, path: str) -> str | None:
    """The address of a page, where the site file says how the service is reached."""
    return None if site.service.url is None else site.service.url.rstrip("/") + path


def _title(site: Site, alerts: Sequence[Noted]) -> str:
    count = "an alert" if len(alerts) == 1 else f"{len(alerts)} alerts"
    return f"{site.about.name}: {count} ({', '.join(sorted({each.kind for each in alerts}))})"


def _paragraph(site: Site, alert: Noted) -> str:
    page = page_url(site, alert.path)
    return alert.says if page is None else f"{alert.says}\n{page}"
