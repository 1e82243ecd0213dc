"""What if: the picker, the settings in the URL, the downloads, and the comparison of results."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import httpx
import polars as pl
import pytest
from tests.history.records import NOON_S, job
from tests.history.web.authorisation import QUESTION
from tests.history.web.served import ACCOUNTS, Served

from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Scope
from schedlab.history.web.access.accounts import put_account
from schedlab.history.web.pages.policy_picker import (
    CONTROLS,
    GROUPED,
    Control,
    Picked,
    picked_of,
)
from schedlab.policies import BACKFILLS, ORDERS

PAGE = {"accept": "text/html"}


def test_every_order_and_parameter_is_in_the_picker() -> None:
    """A new order or parameter must be in the picker; ``linear`` means nothing without weights."""
    assert {*GROUPED, "linear"} == set(ORDERS)
    of_orders = {key for name in GROUPED for key in ORDERS[name].parameters}
    of_backfills = {key for entry in BACKFILLS.values() for key in entry.parameters}
    assert {*of_orders, *of_backfills, "predict"} == set(CONTROLS)


@pytest.mark.parametrize(
    ("picked", "policies"),
    [
        (Picked(("fcfs", "sjf"), ("easy",)), ["easy", "sjf+easy"]),
        (Picked(("sjf",)), ["sjf"]),
        (Picked(backfills=("conservative",)), ["conservative"]),
        (
            Picked(("fcfs",), ("conservative",), values={"promises": "2"}),
            ["conservative:promises=2"],
        ),
        (
            Picked(("fcfs",), ("easy", "one-reserved"), values={"depth": "5", "alpha": "2"}),
            ["easy:depth=5", "easy-one-reserved:depth=5,alpha=2"],
        ),
        (Picked(("wrsa",), values={"ageing": "7", "alpha": "2"}), ["wrsa:ageing=7d"]),
        (
            Picked(("sjf",), ("easy",), ("evolved:slowdown",), {"predict": "last-two"}),
            ["sjf+easy:predict=last-two", "evolved:slowdown"],
        ),
    ],
)
def test_what_is_picked_has_a_name(picked: Picked, policies: list[str]) -> None:
    """Each order is combined with each way to backfill; a setting goes to those that take it."""
    assert picked.policies() == policies
    assert picked_of(policies).policies() == policies
    assert not picked_of(policies).names


def test_what_the_picker_cannot_say_is_given_by_name() -> None:
    """Two depths at once and weights are given by name; evolved policies stay ticked."""
    given = ["easy:depth=5", "sjf+easy:depth=10", "linear:log_nodes=1", "evolved:slowdown"]
    picked = picked_of(given)
    assert picked.names == tuple(given[:3])
    assert picked.evolved == ("evolved:slowdown",)
    assert set(picked.policies()) == set(given)


@pytest.mark.parametrize(("text", "place"), [("", 3), ("1", 0), ("6", 1), ("900", 2), ("none", 0)])
def test_a_slider_stands_at_the_nearest_stop(text: str, place: int) -> None:
    """Beyond the last stop there is no limit."""
    assert Control("", "", "all", (1, 5, 100), at_end=True).place(text) == place


def ask(served: Served, client: httpx.Client, **given: object) -> str:
    """Have a what-if simulated, and return the URL with its settings."""
    answer = client.post("/what-if", data={"order": "fcfs", "backfilling": "easy", **given})
    assert answer.status_code == 303, answer.text
    served.app.state.service.runner.run_next()
    return answer.headers["location"]


def test_the_address_holds_the_settings(served: Served) -> None:
    """The URL fills in the form for any user, who has it simulated for the jobs they may see."""
    place = ask(served, served.browser("root"), depth="7", nodes="whole", order=["fcfs", "sjf"])
    assert "policy=easy:depth=7" in place
    assert "nodes=whole" in place
    own = served.browser("root").get(place, headers=PAGE).text
    assert 'id="result"' in own
    meg = served.browser("meg").get(place, headers=PAGE).text
    assert 'id="result"' not in meg
    assert "have not been simulated for you yet" in meg
    for page in (own, meg):
        assert 'value="7" placeholder="all"' in page
        assert page.count('name="order" value="fcfs" checked') == 1
        assert page.count('name="order" value="sjf" checked') == 1
        assert 'name="nodes" value="whole" checked' in page


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("policy=eazy", "did you mean &#34;easy&#34;?"),
        ("policy=easy&from=2023-11-16&to=2023-11-15", "must lie before to"),
        ("policy=os:system", "unknown policy"),
        ("policy=easy&cluster=two", "unknown cluster"),
    ],
)
def test_a_wrong_address_is_told(served: Served, query: str, told: str) -> None:
    """The page says what is wrong and has the form."""
    answer = served.browser("root").get(f"/what-if?{query}", headers=PAGE)
    assert answer.status_code == 400
    assert told.lower() in answer.text.lower()
    assert "<form" in answer.text


def simulated(served: Served, client: httpx.Client, **changed: object) -> str:
    """Run a what-if to its end, and return its id."""
    answer = client.post("/v1/what-if", json={**QUESTION, **changed})
    assert answer.status_code == 202, answer.text
    served.app.state.service.runner.run_next()
    task: str = answer.json()["id"]
    return task


def test_a_what_if_by_the_api(served: Served) -> None:
    """With a manager's token, a program asks, reads, and downloads the schedule of visible jobs."""
    meg = served.program("meg", [Scope.READ])
    task = simulated(served, meg)
    found = meg.get(f"/v1/what-if/{task}").json()
    assert found["state"] == "done"
    assert (found["result"]["jobs"], found["result"]["all_jobs"]) == (2, 4)
    assert [each["policy"] for each in found["result"]["outcomes"]] == ["as it was", "easy"]
    assert "schedules" not in found["result"]
    path = f"/v1/what-if/{task}/schedule"
    frame = pl.read_parquet(io.BytesIO(meg.get(path, params={"format": "parquet"}).content))
    assert frame["jobid"].to_list() == ["1", "3", "1", "3"]
    assert frame["policy"].to_list() == ["as it was", "as it was", "easy", "easy"]
    assert frame["wait_s"].to_list() == [10, 10, 0, 0]
    assert frame["submit_time"].dt.epoch("s").to_list() == [NOON_S, NOON_S + 120] * 2
    as_csv = meg.get(path, params={"format": "csv"})
    assert pl.read_csv(as_csv.content)["wait_s"].to_list() == [10, 10, 0, 0]
    assert f'filename="what-if-{task}.csv"' in as_csv.headers["content-disposition"]
    rows = meg.get(path).json()["jobs"]
    assert [row["jobid"] for row in rows] == ["1", "3", "1", "3"]
    assert "bens" not in as_csv.text


@pytest.mark.parametrize(
    ("format", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_picture_is_taken_away(served: Served, format: str, begins: bytes) -> None:
    """The picture has every policy."""
    root = served.program("root", [Scope.READ])
    task = simulated(served, root)
    picture = root.get(f"/v1/what-if/{task}/picture", params={"format": format})
    assert picture.status_code == 200
    assert picture.content.startswith(begins)
    if format == "svg":
        assert "as it was" in picture.text


def test_who_sees_other_jobs_now_is_not_shown_the_old_result(served: Served) -> None:
    """A manager who has lost a group must have the what-if simulated again."""
    meg = served.browser("meg")
    task = simulated(served, meg)
    assert meg.get(f"/v1/what-if/{task}/schedule").status_code == 200
    with served.database.writing() as connection:
        put_account(connection, replace(ACCOUNTS[Role.MANAGER], groups=frozenset()))
    for path in (f"/v1/what-if/{task}", f"/v1/what-if/{task}/schedule"):
        assert meg.get(path).status_code == 404
    assert meg.get(f"/what-if/compare?task={task}").status_code == 404


def test_results_stand_side_by_side(served: Served) -> None:
    """Results are compared policy by policy; another user's result is not found."""
    root = served.browser("root")
    tasks = [simulated(served, root, whole_nodes=whole) for whole in (False, True)]
    query = "&".join(f"task={task}" for task in tasks)
    page = root.get(f"/what-if/compare?{query}", headers=PAGE).text
    assert "Result A" in page
    assert "Result B" in page
    assert "2, shared" in page
    assert "2, whole" in page
    assert page.count("<code>easy</code>") == 4
    assert served.browser("sue").get(f"/what-if/compare?{query}").status_code == 404


def test_the_calendar_of_the_site_file_is_left_out(served: Served) -> None:
    """The calendar's seconds count from the start of a workload, which differs for each window."""
    site = served.settings.site
    assert site is not None
    outage = '[[cluster.outage]]\nbegin = 0\nnodes = "n01"\n'
    site.path.write_text(site.path.read_text().replace("cores = 4\n", f"cores = 4\n\n{outage}"))
    own = Served(replace(served.settings, site=read_site(site.path)))
    root = own.program("root", [Scope.READ])
    found = root.get(f"/v1/what-if/{simulated(own, root)}").json()["result"]
    assert found["outcomes"][1]["wait_s"] == 0
    own.close()


SHARED = """
[[cluster.partition]]
name = "batch"
nodes = "n01"

[[cluster.partition]]
name = "debug"
nodes = "n02"
default = true
"""


def test_the_described_machine_is_simulated(served: Served, tmp_path: Path) -> None:
    """Nodes are shared, partitions kept, and jobs that no node can hold are left out with a note.

    Three jobs ask for two cores each in a partition of one node with four: the third waits for the
    first to end. With whole nodes, the second waits as well.
    """
    site = served.settings.site
    assert site is not None
    text = site.path.read_text().replace("cores = 4\n", "cores = 4\n" + SHARED)
    site.path.write_text(text)
    half = {"num_host": 1, "num_cpu_perhost": 2}
    batch = {"partition": "batch", "resource_req": half}
    records = [job(str(10 + at), queued_s=7_200 + at, **batch) for at in range(3)]
    big = job("20", queued_s=7_200, resource_req={"num_host": 1, "num_cpu_perhost": 64})
    gone = job("21", queued_s=7_200, partition="gone")
    with Store.open(served.settings.store) as store:
        store.put([*records, big, gone], source="scheduler")
    own = Served(replace(served.settings, site=read_site(site.path)))
    root = own.program("root", [Scope.READ])
    hour = {"from": "2023-11-15T14:00Z", "to": "2023-11-15T15:00Z"}
    shared, whole = (
        root.get(f"/v1/what-if/{simulated(own, root, whole_nodes=each, **hour)}").json()["result"]
        for each in (False, True)
    )
    assert shared["notes"] == [
        "3 of 3 jobs asked for part of a node; simulated as shared.",
        "Jobs had the nodes of their partitions (batch, debug).",
        "2 jobs are left out: no node of the described machine can hold them.",
    ]
    assert whole["notes"][0] == "3 of 3 jobs asked for part of a node; simulated as whole nodes."
    assert shared["outcomes"][1]["wait_s"] == pytest.approx((0 + 0 + 98) / 3)
    assert whole["outcomes"][1]["wait_s"] == pytest.approx((0 + 99 + 198) / 3)
    own.close()
