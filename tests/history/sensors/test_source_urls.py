"""URLs and timeouts of sources: a mistake is one sentence, without the password."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schedlab.errors import SchedlabError
from schedlab.history.sensors import make_sensor_source

ITEM = {"name": "power_watt", "unit": "W"}
KINDS: dict[str, dict[str, Any]] = {
    "prometheus": {"item": [ITEM | {"query": "power"}]},
    "zabbix-sql": {"item": [ITEM | {"key": "power"}]},
    "zabbix-api": {"item": [ITEM | {"key": "power"}], "token_file": "token"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_patience_that_nobody_can_meet_is_refused(kind: str) -> None:
    """A timeout of 0 is refused when the site file is read."""
    given = {"kind": kind, "name": "s", "url": "http://x", "timeout_s": 0.0} | KINDS[kind]
    with pytest.raises(SchedlabError, match="timeout_s is 0; must be above 0"):
        make_sensor_source(given, Path())


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "s: its url is not that of a database"),
        ("postgresql://zabbix:secret@db:port/zabbix", "s: its url is not that of a database"),
        ("oracle://zabbix:secret@db/zabbix", "a database of kind oracle; must be postgresql"),
        ("mariadb://zabbix:secret@127.0.0.1:9/zabbix", "s: the database says: Can't connect"),
    ],
)
def test_a_database_that_is_none_of_zabbix(url: str, sentence: str) -> None:
    """The URL has another kind, is no URL at all, or no server answers there."""
    source = make_sensor_source(
        {"kind": "zabbix-sql", "name": "s", "url": url} | KINDS["zabbix-sql"], Path()
    )
    with pytest.raises(SchedlabError, match=sentence) as caught:
        source.check()
    assert "secret" not in str(caught.value)
