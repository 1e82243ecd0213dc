"""Zabbix's JSON-RPC, against a peer that answers as a frontend does."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.services.scripted import Answer, Scripted

from schedlab.errors import SchedlabError, SensorError
from schedlab.history.sensors import MeasuringPoint, SensorRequest, integral, make_sensor_source
from schedlab.history.sensors.source import AnySensorSource

HOUR_S = 1_704_067_200
POWER = {"name": "power_watt", "unit": "W", "key": "node.power"}
ITEM = {
    "itemid": "44518",
    "key_": "node.power",
    "value_type": "0",
    "hosts": [{"hostid": "10559", "host": "n01"}],
}


class Frontend:
    """A scripted frontend of one item, with a value for each minute of the hour from HOUR_S."""

    def __init__(self, version: str = "6.0.14", strange: dict[str, Any] | None = None) -> None:
        self.version, self.strange = version, strange or {}
        self.values = [
            {"itemid": "44518", "clock": str(HOUR_S + 60 * n), "value": str(150 + n), "ns": "0"}
            for n in range(60)
        ]
        self.trends = [
            {
                "itemid": "44518",
                "clock": str(HOUR_S - 3600),
                "num": "60",
                "value_min": "90",
                "value_avg": "100.5",
                "value_max": "300",
            }
        ]

    def __call__(self, asked: dict[str, Any]) -> Any:
        """Return the answer to one request."""
        method, params = asked["method"], asked["params"]
        if method in self.strange:
            return self.strange[method]
        if method not in ("apiinfo.version", "user.login") and not self._may(asked):
            return _error("Not authorized.")
        results = {
            "apiinfo.version": self.version,
            "user.login": "session",
            "host.get": "12",
            "item.get": [ITEM],
            "history.get": self._between(self.values, params),
            "trend.get": self._between(self.trends, params),
        }
        return {"jsonrpc": "2.0", "result": results[method], "id": 1}

    def _may(self, asked: dict[str, Any]) -> bool:
        if self.version >= "6.4":
            return "auth" not in asked and asked.get("authorization") == "Bearer session"
        return bool(asked.get("auth") == "session")

    def _between(self, rows: list[dict[str, str]], params: Any) -> list[dict[str, str]]:
        if "time_from" not in params:
            return []
        span = range(params["time_from"], params["time_till"] + 1)
        return [row for row in rows if int(row["clock"]) in span]


def _error(reason: str) -> dict[str, Any]:
    error = {"code": -32602, "message": "Invalid params.", "data": reason}
    return {"jsonrpc": "2.0", "error": error, "id": 1}


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """A folder with the password in a file."""
    (tmp_path / "password").write_text("zabbix\n")
    return tmp_path


def zabbix(url: str, folder: Path, **settings: Any) -> AnySensorSource:
    """Return the source that asks this frontend."""
    given = {"kind": "zabbix-api", "name": "zabbix", "url": url, "item": [POWER]}
    login = {"user": "Admin", "password_file": "password"}
    return make_sensor_source(given | (settings or login), folder)


@pytest.mark.parametrize(
    ("version", "who"), [("5.0.1", "user"), ("6.0.14", "username"), ("7.0", "username")]
)
def test_one_logs_in_as_the_version_wants(
    scripted: Scripted, password: Path, version: str, who: str
) -> None:
    """The name of the user's parameter and the place of the token changed over the years."""
    scripted.answer = Frontend(version)
    source = zabbix(scripted.url, password)
    assert source.check() == f"Zabbix {'.'.join(version.split('.')[:2])} answers at {scripted.url}"
    login = next(each for each in scripted.asked if each["method"] == "user.login")
    assert login["params"] == {who: "Admin", "password": "zabbix"}
    series = source.series("power_watt", "n01", None, HOUR_S, HOUR_S + 600)
    assert list(series.mean) == [150 + n for n in range(10)]
    assert sum(each["method"] == "user.login" for each in scripted.asked) == 1


def test_trends_are_asked_for_where_values_are_gone(scripted: Scripted, password: Path) -> None:
    """The housekeeper has thrown the hour's values away, but not its mean."""
    scripted.answer = Frontend()
    source = zabbix(scripted.url, password)
    series = source.series("power_watt", "n01", None, HOUR_S - 3600, HOUR_S + 3600)
    assert integral(series, HOUR_S - 3600, HOUR_S) == pytest.approx(100.5 * 3600)
    exact = sum((150 + n) * 60 for n in range(60))
    assert integral(series, HOUR_S, HOUR_S + 3600) == pytest.approx(exact, rel=1e-9)
    assert (series.least.min(), series.greatest.max()) == (90, 300)


def test_long_times_are_asked_for_in_chunks(scripted: Scripted, password: Path) -> None:
    """A frontend holds its answer in memory, and PHP has little."""
    scripted.answer = Frontend()
    zabbix(scripted.url, password).read(
        "power_watt", SensorRequest({"n01": ()}, HOUR_S, HOUR_S + 86400)
    )
    asked = [each["params"] for each in scripted.asked if each["method"] == "history.get"]
    assert len(asked) > 5
    assert all(each["time_till"] - each["time_from"] < 4 * 3600 for each in asked)
    assert all(a["time_till"] + 1 == b["time_from"] for a, b in pairwise(asked))


def test_a_session_that_has_ended_is_begun_again(scripted: Scripted, password: Path) -> None:
    """A service asks for weeks; a frontend forgets a session that is idle for a while."""
    sessions = ["first"]

    def answer(asked: dict[str, Any]) -> Any:
        known = {"apiinfo.version": "6.0.14", "user.login": sessions[-1], "host.get": "12"}
        if asked["method"] == "host.get" and asked.get("auth") != sessions[-1]:
            return _error("Session terminated, re-login, please.")
        return {"jsonrpc": "2.0", "result": known[asked["method"]], "id": 1}

    scripted.answer = answer
    source = zabbix(scripted.url, password)
    source.check()
    sessions.append("second")
    source.check()
    assert sum(each["method"] == "user.login" for each in scripted.asked) == 2


def test_a_token_needs_no_login(scripted: Scripted, tmp_path: Path) -> None:
    """Zabbix gives out tokens for programs."""
    (tmp_path / "token").write_text("session")
    scripted.answer = Frontend()
    zabbix(scripted.url, tmp_path, token_file="token").check()
    assert "user.login" not in {each["method"] for each in scripted.asked}


@pytest.mark.parametrize(
    ("strange", "sentence"),
    [
        (
            {"user.login": _error("Incorrect user name or password.")},
            "refused user.login: Incorrect",
        ),
        ({"item.get": Answer(b"<html>Zabbix is down</html>")}, "something other than JSON"),
        ({"item.get": Answer(b"oops", 500)}, "answered with status 500: 'oops'"),
        ({"item.get": [1]}, "its answer is not JSON-RPC"),
        ({"item.get": {"result": [{"itemid": "x"}]}}, "an unexpected answer to item.get"),
        ({"item.get": {"result": 5}}, "an unexpected answer to item.get"),
        ({"item.get": {"result": []}}, 'none of these hosts has an item of key "node.power"'),
        ({"history.get": {"result": [{"itemid": "44518"}]}}, "an unexpected answer to history.get"),
        ({"apiinfo.version": {"result": "new"}}, "the unknown version 'new'"),
        ({"history.get": {"error": "boom"}}, "refused history.get: boom"),
    ],
)
def test_a_lie_is_one_sentence(
    scripted: Scripted, password: Path, strange: dict[str, Any], sentence: str
) -> None:
    """A frontend that fails costs the item, with a reason that names it."""
    scripted.answer = Frontend(strange=strange)
    with pytest.raises(SensorError, match=sentence):
        zabbix(scripted.url, password).series("power_watt", "n01", None, HOUR_S, HOUR_S + 60)


def test_how_to_log_in_must_be_said(tmp_path: Path) -> None:
    """A source needs a token, or a user and the file of a password."""
    with pytest.raises(SchedlabError, match="give token_file, or user and password_file"):
        zabbix("http://x", tmp_path, user="Admin")


def test_answers_of_a_real_frontend(scripted: Scripted, password: Path, shared_data: Path) -> None:
    """The values are read from what Zabbix 6.0.14 answered."""
    folder = shared_data / "samples" / "zabbix"
    rows = json.loads((folder / "history_get.json").read_text())
    frontend = Frontend()
    frontend.values, frontend.trends = rows, json.loads((folder / "trend_get.json").read_text())
    scripted.answer = frontend
    start_s = int(rows[0]["clock"])
    found = zabbix(scripted.url, password).read(
        "power_watt", SensorRequest({"n01": ()}, start_s, start_s + 600)
    )
    assert list(found[MeasuringPoint("n01")].mean) == [float(row["value"]) for row in rows]
