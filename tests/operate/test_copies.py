"""The log of the loop, copied into the store of the history service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from schedlab.errors import InputError, StoreError
from schedlab.history.store import Store
from schedlab.history.store.decision_tables import decisions
from schedlab.live.ledger import Ledger
from schedlab.operate.copies import copy_log
from schedlab.operate.notices import Notices
from schedlab.operate.record import LOG
from schedlab.operate.settings import OperateSettings
from schedlab.operate.steps import Steps


def test_each_line_is_copied_once_with_its_hash(tmp_path: Path) -> None:
    """Copied lines stay; a log that was rewritten is not taken for the same."""
    store_url = str(tmp_path / "history.db")
    Store.make(store_url).close()
    site = tmp_path / "mysite"
    (site / "operate").mkdir(parents=True)
    ledger = Ledger(site / "operate" / LOG)
    ledger.add("round", 1.0, round=1)
    assert copy_log(site, store_url) == 1
    tested = {"policy": "saf", "digest": "0123", "difference": -0.2, "why": ""}
    ledger.add("tested", 2.0, round=1, **tested)
    assert copy_log(site, store_url) == 1
    assert copy_log(site, store_url) == 0
    with Store.open(store_url) as store, store.changing() as connection:
        rows = connection.execute(select(decisions).order_by(decisions.c.number)).all()
    assert [(row.number, row.step, row.policy) for row in rows] == [
        (1, "round", None),
        (2, "tested", "saf"),
    ]
    assert (rows[1].reason, rows[1].digest, rows[1].hash) == ("-20.0%", "0123", ledger.last)
    assert json.loads(rows[1].entry)["before"] == rows[0].hash
    (site / "operate" / LOG).unlink()
    again = Ledger(site / "operate" / LOG)
    for number in range(3):
        again.add("round", 5.0, round=number)
    with pytest.raises(InputError, match="it was rewritten"):
        copy_log(site, store_url)


def test_a_store_that_does_not_answer_stops_nothing(tmp_path: Path) -> None:
    """The step is in the log, and a message says what went wrong."""
    said: list[str] = []

    def copy() -> None:
        raise StoreError("no answer")

    notices = Notices("site", tmp_path)
    steps = Steps(tmp_path, OperateSettings(), lambda *_: None, notices, say=said.append, copy=copy)
    steps.begin(steps.record())
    assert steps.record().round == 1
    assert said[0] == "the log was not copied to the store: no answer"
