"""schedlab history doctor."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated

from typer import Exit, Option

from schedlab.cli.console import AsJson, new_table, out, print_json
from schedlab.cli.history.choosing import epoch_s
from schedlab.cli.store_place import StoreLocation

EXAMPLES = ("schedlab history doctor", "schedlab history doctor --at 2026-01-06 --json")
_ILL = 1


def doctor(
    place: StoreLocation,
    at: Annotated[
        str | None,
        Option(metavar="TIME", help="Ask sensors about the day before.", show_default="now"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Test every source of the site file: what is reachable, what has data, and what to fix."""
    site = place.read()
    from schedlab.history.doctor import examine

    moment = epoch_s("--at", at) or time.time()
    findings = list(examine(site, place.url(), moment))
    if json:
        print_json([asdict(each) for each in findings])
    else:
        table = new_table("", "", "", text_columns=3)
        table.show_header = False
        for each in findings:
            remedy = f"\n→ {each.remedy}" if each.remedy else ""
            table.add_row("ok" if each.is_well else "!!", each.what, each.says + remedy)
        out().print(table)
    if not all(each.is_well for each in findings):
        raise Exit(_ILL)
