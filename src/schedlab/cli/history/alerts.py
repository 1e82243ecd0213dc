"""schedlab history alerts."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Exit, Option

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.history.choosing import epoch_s
from schedlab.cli.store_place import StoreLocation, require_service
from schedlab.errors import InputError, ParameterError, ServiceError

if TYPE_CHECKING:
    from schedlab.history.alerts_section import AlertsSection
    from schedlab.history.site import Site

EXAMPLES = ("schedlab history alerts", "schedlab history alerts --test")
_ILL = 1


def alerts(
    place: StoreLocation,
    at: Annotated[
        str | None,
        Option(metavar="TIME", help="Time to check for; later jobs count.", show_default="now"),
    ] = None,
    test: Annotated[
        bool,
        Option(
            "--test",
            help="Send a test message to every address and the webhook, and exit.",
        ),
    ] = False,
    json: AsJson = False,
) -> None:
    """List the alerts by the rules of the section service.alerts; if any, the exit code is 1.

    No message is sent and nothing is written: the service does that while it runs.
    """
    require_service()
    site = place.read()
    section = site.service.alerts
    if section is None:
        raise InputError(f"{site.path}: has no [service.alerts], which says what is watched")
    if test:
        _test(site, section)
        return
    from contextlib import closing

    from schedlab.history.alerts.watch import find_alerts
    from schedlab.history.web.database import Database

    moment = epoch_s("--at", at) or time.time()
    with closing(Database(place.url())) as database:
        found = find_alerts(database, site, section, moment)[1]
    if json:
        print_json([asdict(each) for each in found])
    elif found:
        table = new_table("kind", "what", text_columns=2)
        for each in found:
            table.add_row(each.kind, each.text)
        out().print(table)
    else:
        print_notes(["nothing is wrong"], to_stderr=False)
    if found:
        raise Exit(_ILL)


def _test(site: Site, section: AlertsSection) -> None:
    from schedlab.history.alerts.book import Noted
    from schedlab.history.alerts.watch import channels

    now_s = time.time()
    says = "This is a test: alerts of the site would reach you this way."
    nothing = dict.fromkeys(
        ("ended_s", "mailed_s", "posted_s", "failure", "acknowledged_by", "acknowledged_s")
    )
    example = Noted(
        id="test",
        kind="test",
        subject="test",
        says=says,
        path="/alerts",
        began_s=now_s,
        seen_s=now_s,
        **nothing,
    )
    names = {"mailed_s": ", ".join(section.email), "posted_s": "the webhook"}
    ways = list(channels(site, section))
    if not ways:
        raise ParameterError(
            "[service.alerts] has neither email nor webhook: no message can be sent"
        )
    for column, tell in ways:
        try:
            tell([example])
        except ServiceError as error:
            raise ServiceError(f"not sent to {names[column]}: {error}") from None
        print_notes([f"sent to {names[column]}"], to_stderr=False)
