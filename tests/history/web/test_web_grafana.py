"""Grafana's data source "JSON": the requests that its documents show, and the dashboards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.history.records import NOON_S
from tests.history.web.dashboard_model import DASHBOARD
from tests.history.web.served import Served

from schedlab.history.web.access import Scope
from schedlab.history.web.grafana.dashboards import DASHBOARDS, dashboard
from schedlab.history.web.grafana.metrics import METRICS
from schedlab.history.web.grafana.provisioning import data_source
from schedlab.history.web.ondemand import PINNED, card

RANGE = {
    "from": "2023-11-15T00:00:00.000Z",
    "to": "2023-11-16T00:00:00.866Z",
    "raw": {"from": "now-6h", "to": "now"},
}
HOUR_MS = 3_600_000


def query(*targets: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the body of ``POST /query`` as the plugin documents it."""
    return {
        "panelId": 1,
        "range": RANGE,
        "rangeRaw": {"from": "now-6h", "to": "now"},
        "interval": "1h",
        "intervalMs": HOUR_MS,
        "maxDataPoints": 550,
        "targets": list(targets),
        "adhocFilters": [],
        **more,
    }


def asked(served: Served, path: str, body: Any, account: str | None = None) -> Any:
    """Return the answer to a program with a token to read."""
    answer = served.program(account, [Scope.READ]).post(f"/grafana/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_connection_is_tested(common: Served) -> None:
    """The connection test works with and without the final slash, and only with a token."""
    for path in ("/grafana", "/grafana/"):
        assert common.program().get(path).status_code == 200
        assert common.client().get(path).status_code == 401


def test_metrics_and_their_choices_are_listed(common: Served) -> None:
    """The requests are those of a panel's editor, of variables and of ad hoc filters."""
    metrics = asked(common, "metrics", {})
    assert [each["value"] for each in metrics] == list(METRICS)
    assert asked(common, "metrics", {"metric": "jobs", "payload": {"by": "user"}}) == metrics
    choice = {"metric": "jobs", "payload": {}, "name": "group"}
    assert asked(common, "metric-payload-options", choice) == [
        {"label": name, "value": name} for name in ("chemistry", "physics")
    ]
    wanted = {"payload": {"target": "cluster"}, "range": RANGE}
    assert asked(common, "variable", wanted) == [{"__text": "one", "__value": "one"}]
    assert {"type": "string", "text": "user"} in asked(common, "tag-keys", {})
    assert asked(common, "tag-values", {"key": "user"}) == [
        {"text": name} for name in ("ann", "ben", "cid")
    ]


def test_a_series_counts_jobs_in_the_step_in_which_they_ended(common: Served) -> None:
    """A target that is divided by a key gives several series; times are in milliseconds."""
    body = query({"target": "jobs", "refId": "A", "payload": {"by": "group"}})
    found = {each["target"]: each["datapoints"] for each in asked(common, "query", body)}
    noon_ms = NOON_S * 1_000
    assert found == {
        "physics": [[2, noon_ms]],
        "chemistry": [[1, noon_ms]],
        "none": [[1, noon_ms]],
    }
    whole = asked(common, "query", query({"target": "mean_wait_s", "refId": "B"}))
    assert whole == [{"target": "Mean wait", "datapoints": [[10.0, noon_ms]]}]


def test_payloads_and_ad_hoc_filters_choose_jobs(common: Served) -> None:
    """Several values are a list, "All" chooses all jobs, and a payload may be JSON in a string."""
    for payload, jobs in (
        ({"user": ["ann", "ben"]}, 2),
        ({"user": "All"}, 4),
        ('{"user": ["ann"], "cluster": ["$__all"]}', 1),
        ("", 4),
    ):
        (series,) = asked(common, "query", query({"target": "jobs", "payload": payload}))
        assert series["datapoints"][0][0] == jobs
    chosen = [{"key": "group", "operator": "=", "value": "chemistry"}]
    (series,) = asked(common, "query", query({"target": "jobs"}, adhocFilters=chosen))
    assert series["datapoints"][0][0] == 1


def test_tables_and_loads_are_drawn(common: Served) -> None:
    """Columns have types; nodes in use are counted over all users."""
    users, load = asked(
        common, "query", query({"target": "user_table"}, {"target": "nodes_in_use", "refId": "B"})
    )
    assert users["type"] == "table"
    assert sorted(row[0] for row in users["rows"]) == ["ann", "ben", "cid", "none"]
    assert load["target"] == "one"
    assert max(value for value, _ in load["datapoints"]) > 0


def test_who_sees_own_jobs_only_draws_these(common: Served) -> None:
    """With a token of ann's, no other name is in any answer."""
    targets = [{"target": name, "payload": {"by": "user"}} for name in METRICS]
    text = json.dumps(asked(common, "query", query(*targets), "ann"))
    assert "ann" in text
    assert not re.search("ben|cid|chemistry", text)
    assert asked(common, "tag-values", {"key": "user"}, "ann") == [{"text": "ann"}]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (query({"target": "power"}), 'unknown metric "power"'),
        (query({"target": "jobs", "payload": {"by": "day"}}), 'unknown by "day"'),
        (query({"target": "jobs", "payload": {"state": "good"}}), 'unknown state "good"'),
        (query({"target": "jobs", "payload": "by user"}), "payload: must be JSON"),
        (query({"target": "jobs"}, adhocFilters=[{"key": "x"}]), 'unknown ad hoc filter "x"'),
        (
            query({"target": "jobs"}, adhocFilters=[{"key": "user", "operator": "=~"}]),
            'ad hoc filter "=~"; must be =',
        ),
        (
            query({"target": "jobs"}, range={"from": RANGE["to"], "to": RANGE["from"]}),
            "from must lie before to",
        ),
        (query({"target": "jobs"}, range={"from": "yesterday", "to": "now"}), "from"),
        ({"targets": []}, "range"),
    ],
)
def test_a_wrong_query_is_told_in_a_sentence(common: Served, body: Any, told: str) -> None:
    """Grafana shows the sentence at the panel."""
    answer = common.program().post("/grafana/query", json=body)
    assert answer.status_code in (400, 422)
    assert told in answer.json()["detail"]


@pytest.mark.parametrize("name", DASHBOARDS)
def test_every_panel_of_a_dashboard_is_answered(common: Served, name: str) -> None:
    """Variables are filled in as Grafana does; panels must not overlap."""
    board = dashboard(name)
    places: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        (target,) = panel["targets"]
        payload = re.sub(r"\$\{\w+:json\}", '["All"]', target["payload"])
        sent = {"refId": "A", "target": target["target"], "payload": json.loads(payload)}
        assert asked(common, "query", query(sent)), panel["title"]
        place = panel["gridPos"]
        cells = {(x, place["y"]) for x in range(place["x"], place["x"] + place["w"])}
        assert not cells & places
        assert max(x for x, _ in cells) < 24
        places |= cells
    for variable in board["templating"]["list"]:
        asked(common, "variable", {"payload": {"target": variable["query"]["query"]}})


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_keeps_to_the_documented_model(name: str) -> None:
    """This finds fields that Grafana does not know, and required fields that are missing."""
    Draft202012Validator.check_schema(DASHBOARD)
    board = dashboard(name)
    assert [each.message for each in Draft202012Validator(DASHBOARD).iter_errors(board)] == []
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    inputs = {f"${{{each['name']}}}" for each in board["__inputs"]}
    assert {panel["datasource"]["uid"] for panel in board["panels"]} == inputs


def test_settings_for_grafana_and_open_ondemand_are_yaml() -> None:
    """The YAML is valid whatever characters the address has."""
    url = "https://hpc.example.org/history?a: b"
    (source,) = yaml.safe_load(data_source(url))["datasources"]
    assert source["url"] == f"{url}/grafana"
    assert source["type"] == "simpod-json-datasource"
    manifest = yaml.safe_load(card(url))
    assert (manifest["url"], manifest["name"]) == (url, "Job history")
    assert yaml.safe_load(PINNED) == {"pinned_apps": ["sys/schedlab"]}
