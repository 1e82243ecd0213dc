"""Copy the log of the loop to the store of the history service, for those who look there.

The log stays the memory of the loop. It can be written while no database answers, each line is on
the disk before the next step begins, and the owner of the database cannot change what the loop
believes. The copy has another use, too: it reveals a log that was rewritten as a whole.
"""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import func, insert, select

from schedlab.errors import InputError
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.store.decision_tables import decisions
from schedlab.live.ledger import Entry, read_ledger
from schedlab.operate.record import LOG, sentence_of


def store_of(site: Path, service: str) -> str:
    """Return the URL of the store of a history service; paths count from the site folder."""
    path = site / service
    if not path.exists():
        raise InputError(f"{path}: no such site file; operate.toml names it as service")
    return read_site(path).store.located(path.parent)


def copy_log(site: Path, url: str) -> int:
    """Copy the lines that the store does not have yet; return how many.

    InputError if the store has a copy of another log.

    Args:
        site: the site folder of the loop.
        url: the URL of the store.
    """
    name, log = site.resolve().name, site / "operate" / LOG
    entries = list(read_ledger(log, with_hash=True)) if log.exists() else []
    own = decisions.c.site == name
    with Store.open(url) as store, store.changing() as connection:
        known = connection.execute(select(func.max(decisions.c.number)).where(own)).scalar() or 0
        if known:
            line = select(decisions.c.hash).where(own, decisions.c.number == known)
            copied = connection.execute(line).scalar()
            if known > len(entries) or entries[known - 1]["hash"] != copied:
                raise InputError(
                    f"{log}: is not the log of which {store.shown} has {known:,} lines; it was "
                    "rewritten, or another one has taken its place"
                )
        new = entries[known:]
        if new:
            rows = [_row(name, known + at, entry) for at, entry in enumerate(new, 1)]
            connection.execute(insert(decisions), rows)
    return len(new)


def _row(site: str, number: int, entry: Entry) -> dict[str, object]:
    rest = {key: value for key, value in entry.items() if key != "hash"}
    return {
        "site": site,
        "number": number,
        "at_s": entry["at"],
        "round": entry["round"],
        "step": entry["kind"],
        "reason": sentence_of(entry) or None,
        "policy": entry.get("policy"),
        "digest": entry.get("digest"),
        "entry": json.dumps(rest, ensure_ascii=False),
        "hash": entry["hash"],
    }
