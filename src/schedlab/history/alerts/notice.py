"""Messages about alerts that hold, or about alerts that are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schedlab.history.alerts.book import Noted
from schedlab.history.notify.mail import MailMessage
from schedlab.history.schema.times import find_zone, from_epoch
from schedlab.history.site import Site


def message(site: Site, alerts: Sequence[Noted]) -> MailMessage:
    """Return the alerts as an e-mail."""
    page = page_url(site, "/alerts")
    parts = [_paragraph(site, each) for each in alerts]
    if page is not None and not _are_over(alerts):
        parts.append(f"Acknowledge them at {page}")
    return MailMessage(_title(site, alerts), "\n\n".join(parts) + "\n")


def document(site: Site, alerts: Sequence[Noted]) -> Mapping[str, Any]:
    """Return the alerts as a JSON document for a webhook; chat programs show ``text``."""
    return {
        "text": "\n".join([_title(site, alerts), *(_says(site, each) for each in alerts)]),
        "site": site.about.name,
        "url": page_url(site, "/alerts"),
        "alerts": [
            {
                "id": each.id,
                "kind": each.kind,
                "subject": each.subject,
                "text": each.says,
                "began": from_epoch(each.began_s).isoformat(),
                "ended": None if each.ended_s is None else from_epoch(each.ended_s).isoformat(),
                "url": page_url(site, each.path),
            }
            for each in alerts
        ],
    }


def page_url(site: Site, path: str) -> str | None:
    """Return the address of a page, where the site file says how the service is reached."""
    return None if site.service.url is None else site.service.url.rstrip("/") + path


def _are_over(alerts: Sequence[Noted]) -> bool:
    return all(each.ended_s is not None for each in alerts)


def _title(site: Site, alerts: Sequence[Noted]) -> str:
    count = "an alert" if len(alerts) == 1 else f"{len(alerts)} alerts"
    over = (" is over" if len(alerts) == 1 else " are over") if _are_over(alerts) else ""
    kinds = ", ".join(sorted({each.kind for each in alerts}))
    return f"{site.about.name}: {count}{over} ({kinds})"


def _says(site: Site, alert: Noted) -> str:
    if alert.ended_s is None:
        return alert.says
    ended = from_epoch(alert.ended_s).astimezone(find_zone(site.about.time_zone))
    return f"Over since {ended:%Y-%m-%d %H:%M}. It was: {alert.says}"


def _paragraph(site: Site, alert: Noted) -> str:
    page, says = page_url(site, alert.path), _says(site, alert)
    return says if page is None else f"{says}\n{page}"
