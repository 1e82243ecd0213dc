"""The API as programs use it: pages, formats, ids, refusals."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import httpx
import polars as pl
import pytest
from pydantic_core import from_json
from tests.history.records import NOON_S, job
from tests.history.web.served import JOBS, Served

from schedlab.history.export.flat import COLUMNS
from schedlab.history.schema.system import SystemDocument
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.api import jobs as api_jobs
from schedlab.history.web.api.jobs import JobsParameters
from schedlab.history.web.parameters import Asking
from schedlab.history.web.queries.search import ResultPage, search
from schedlab.history.web.queries.shown import Shown


@pytest.fixture
def admin(common: Served) -> httpx.Client:
    """A client that sees every job."""
    return common.as_role(Role.ADMIN)


@pytest.fixture
def anybody(public: Served) -> httpx.Client:
    """A client that has not logged in, at a site that is open to the public."""
    return public.client()


def ids(answer: httpx.Response) -> list[str]:
    """Return the ids of the jobs on a page."""
    return [each["jobid"] for each in answer.json()["jobs"]]


def refused(answer: httpx.Response, status: int) -> str:
    """Check that the answer is a problem with this status, and return what it says."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    detail: str = answer.json()["detail"]
    return detail


def test_pages_follow_one_another(admin: httpx.Client) -> None:
    """The cursor and the link in the header lead to the same next page."""
    first = admin.get("/v1/jobs", params={"limit": 3, "count": True})
    assert ids(first) == ["4", "3", "2"]
    assert first.json()["total"] == {"jobs": 4, "is_exact": True}
    second = admin.get("/v1/jobs", params={"limit": 3, "cursor": first.json()["next"]})
    assert (ids(second), second.json()["next"]) == (["1"], None)
    assert admin.get(first.links["next"]["url"]).json()["jobs"] == second.json()["jobs"]
    assert "next" not in second.links


def test_a_record_is_what_was_put(admin: httpx.Client) -> None:
    """The API returns the complete standard record."""
    assert admin.get("/v1/jobs/1").json() == JOBS[0].model_dump(mode="json", exclude_none=True)


def test_fields_are_items_or_columns(admin: httpx.Client) -> None:
    """Fields may be items of the record and columns of job tables; unknown values are null."""
    chosen = {"fields": "jobid,hosts,energy_joule,resource_req", "user": "ann"}
    assert admin.get("/v1/jobs", params=chosen).json()["jobs"] == [
        {
            "jobid": "1",
            "hosts": "n01",
            "energy_joule": None,
            "resource_req": {"num_host": 1, "num_cpu_perhost": 4},
        }
    ]


def test_a_time_may_lose_its_plus(admin: httpx.Client) -> None:
    """In a URL a plus means a blank, and hardly anyone writes %2B."""
    found = admin.get("/v1/jobs?time=queued&from=2023-11-15T21:01:00+09:00&sort=queue_time")
    assert ids(found) == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("usr=ann", 422, 'unknown parameter "usr"; did you mean "user"?'),
        ("sort=size", 400, 'unknown sort "size"'),
        ("fields=job_id", 400, 'did you mean "jobid"?'),
        ("format=csv&fields=per_host", 400, 'unknown field "per_host"'),
        ("from=yesterday", 422, '"yesterday" is not a time; write 2026-01-05'),
        ("from=2026-01-05&to=2026-01-04", 422, "from: must lie before to"),
        ("state=ended", 422, "completed"),
        ("limit=0", 422, "greater than or equal to 1"),
        ("cursor=abc", 400, "cursor: is not valid"),
        ("min_wra=nan", 422, "min_wra"),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(
    admin: httpx.Client, query: str, status: int, said: str
) -> None:
    """The caller can then correct it without looking it up."""
    assert said in refused(admin.get(f"/v1/jobs?{query}"), status)


def test_an_answer_has_the_format_that_is_asked_for(admin: httpx.Client) -> None:
    """A parameter or the Accept header chooses it; the most preferred possible type wins."""
    wanted = {"text/csv": "text/csv", "application/vnd.apache.parquet, */*;q=0.1": "parquet"}
    for accept, found in wanted.items():
        answer = admin.get("/v1/jobs", headers={"accept": accept})
        assert found in answer.headers["content-type"]
    browser = admin.get("/v1/jobs", headers={"accept": "text/html,*/*;q=0.8"})
    assert browser.headers["content-type"] == "application/json"
    assert "text/csv" in refused(admin.get("/v1/jobs", headers={"accept": "image/png"}), 406)


def test_all_formats_have_the_same_jobs(admin: httpx.Client) -> None:
    """Streams hold all jobs that match, without pages."""
    lines = admin.get("/v1/jobs?format=jsonl").text.splitlines()
    assert [from_json(line)["jobid"] for line in lines] == ["4", "3", "2", "1"]
    rows = list(csv.DictReader(io.StringIO(admin.get("/v1/jobs?format=csv").text)))
    assert [row["jobid"] for row in rows] == ["4", "3", "2", "1"]
    parquet = pl.read_parquet(io.BytesIO(admin.get("/v1/jobs?format=parquet").content))
    arrow = pl.read_ipc_stream(io.BytesIO(admin.get("/v1/jobs?format=arrow").content))
    assert parquet.equals(arrow)
    assert parquet.columns == list(COLUMNS)
    assert parquet["jobid"].to_list() == ["4", "3", "2", "1"]
    some = admin.get("/v1/jobs?format=arrow&fields=jobid,num_host,jobid&limit=2").content
    assert pl.read_ipc_stream(io.BytesIO(some)).rows() == [("4", 1), ("3", 1)]


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "arrow"])
def test_no_jobs_make_an_empty_file(admin: httpx.Client, format: str) -> None:
    """Programs can still read a file without jobs."""
    content = admin.get(f"/v1/jobs?user=nobody&format={format}").content
    if format == "parquet":
        assert pl.read_parquet(io.BytesIO(content)).height == 0
    elif format == "arrow":
        assert pl.read_ipc_stream(io.BytesIO(content)).height == 0
    else:
        assert content.count(b"\n") == (1 if format == "csv" else 0)


def test_an_answer_that_is_known_is_not_sent_again(admin: httpx.Client) -> None:
    """The tag depends on the content."""
    first = admin.get("/v1/jobs")
    tag = {"if-none-match": first.headers["etag"]}
    again = admin.get("/v1/jobs", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert admin.get("/v1/jobs?limit=1", headers=tag).status_code == 200


def test_another_s_job_and_no_job_are_the_same(common: Served) -> None:
    """The answers are the same to the byte, so that guessing ids reveals nothing."""
    ann = common.as_role(Role.USER)
    assert ann.get("/v1/jobs/2").content == ann.get("/v1/jobs/nothing").content
    missing = ann.post("/v1/jobs:batchGet", json={"ids": ["2", "nothing"]}).json()
    assert missing == {"jobs": [], "missing": ["2", "nothing"]}
    place = "/v1/timelines/one/{}/n01/power_watt"
    others = [ann.get(place.format(jobid)).content for jobid in ("2", "nothing")]
    assert others[0] == others[1]
    accuracies = [ann.get(f"/v1/users/{user}/accuracy").content for user in ("ben", "nobody")]
    assert accuracies[0] == accuracies[1]


def test_jobs_by_ids_tell_several_of_one_id_apart(served: Served) -> None:
    """Schedulers reuse ids; the attempt or the queue time of a job tells it from the others."""
    with Store.open(served.settings.store) as store:
        store.put([job("1", queued_s=7_200, user_identifier="ann", attempt=2)], source="test")
    admin = served.as_role(Role.ADMIN)
    several = admin.get("/v1/jobs/1")
    assert "2 jobs have this id" in refused(several, 409)
    assert [each["attempt"] for each in several.json()["errors"]] == [2, 1]
    assert admin.get("/v1/jobs/1?attempt=2").json()["attempt"] == 2
    queued = {"queue_time": "20231115T120000+0000"}
    assert "attempt" not in admin.get("/v1/jobs/1", params=queued).json()
    body = {"ids": ["1", {"jobid": "2", "queue_time": "20231115T120100+0000"}], "fields": ["jobid"]}
    assert admin.post("/v1/jobs:batchGet", json=body).json()["jobs"] == [
        {"jobid": "1"},
        {"jobid": "1"},
        {"jobid": "2"},
    ]
    lost: dict[str, Any] = {"ids": [{"jobid": "2", "attempt": 5}]}
    answer = admin.post("/v1/jobs:batchGet", json=lost).json()
    assert answer["missing"] == [{"jobid": "2", "attempt": 5}]
    # The same id at another time is another job, also for a timeline.
    span = "from=20231115T120010Z&to=20231115T120150Z"
    assert admin.get(f"/v1/timelines/one/1/n01/power_watt?{span}").json()["value"] == [100.0] * 10


def test_a_timeline_is_opened_by_its_uri(admin: httpx.Client) -> None:
    """A timeline takes the options of the paper; tables have the same columns as JSON."""
    place = "/v1/timelines/one/1/n01/power_watt"
    answer = admin.get(f"{place}?freq=50s").json()
    assert answer["value"] == [100.0, 100.0]
    assert (answer["freq_s"], answer["agg"]) == (50, "mean")
    assert answer["provenance"]["unit"] == "W"
    frame = pl.read_parquet(io.BytesIO(admin.get(f"{place}?format=parquet").content))
    assert frame.columns == ["start_s", "end_s", "value"]
    assert frame.height == 10
    assert "jsonl" in refused(admin.get(f"{place}?format=jsonl"), 400)
    assert '"1 fortnight" is not a duration' in refused(admin.get(f"{place}?freq=1 fortnight"), 422)
    assert "of a device" in refused(admin.get(place.replace("power", "accelerator.power")), 400)


def test_sums_can_be_tables(admin: httpx.Client) -> None:
    """Each row sums a group of jobs; the largest group is first."""
    answer = admin.get("/v1/stats?by=group&limit=1").json()
    assert answer["groups"] == 3
    assert answer["rows"][0] == {
        "group": "physics",
        "jobs": 2,
        "node_hours": 200 / 3600,
        "energy_joule": None,
        "jobs_with_energy": 0,
        "mean_wait_s": 10.0,
        "jobs_started": 2,
        "mean_wra": 100 / 600,
    }
    rows = list(csv.DictReader(io.StringIO(admin.get("/v1/stats?by=user&format=csv").text)))
    assert sorted(row["user"] for row in rows) == ["", "ann", "ben", "cid"]


def test_the_clusters_are_a_system_document(admin: httpx.Client) -> None:
    """The document lists what is measured on each cluster."""
    content = admin.get("/v1/clusters").json()
    document = SystemDocument.model_validate(content)
    assert document.clusters[0].node_groups[0].nodes == "n[01-02]"
    assert content["clusters"][0]["items"] == ["power_watt"]


def test_the_public_searches_by_no_name(anybody: httpx.Client) -> None:
    """Anyone who finds a job by a name knows whose it is, whatever the answer calls the user."""
    for query in ("user=ann", "group=physics", "node=n01", "tag=cfd"):
        assert "hidden from the public" in refused(anybody.get(f"/v1/jobs?{query}"), 400)
        assert "hidden from the public" in refused(anybody.get(f"/v1/stats?{query}"), 400)
    (record,) = anybody.get("/v1/jobs?jobid=1").json()["jobs"]
    assert record["user_identifier"].startswith("user-")
    rows = anybody.get("/v1/stats?by=user").json()["rows"]
    assert record["user_identifier"] in {row["user"] for row in rows}


def test_the_documentation_loads_nothing(admin: httpx.Client) -> None:
    """One page has every route, without scripts and without addresses on other sites."""
    page = admin.get("/docs").text
    assert "<script" not in page
    assert not re.search(r'(src|href|action)="(?!/|#)', page)
    for path in admin.get("/v1/openapi.json").json()["paths"]:
        assert path in page


def test_a_stream_reads_on_only_as_it_is_taken(
    common: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many jobs are exported, only one portion of them is in memory."""
    pages = []

    def noting(*given: Any, **options: Any) -> ResultPage:
        pages.append(search(*given, **options))
        return pages[-1]

    monkeypatch.setattr(api_jobs, "PORTION", 1)
    monkeypatch.setattr(api_jobs, "search", noting)
    asking = Asking(common.app.state.service, Viewer(Role.ADMIN), Shown())
    portions = api_jobs._portions(asking, JobsParameters.model_validate({}))
    assert [each["jobid"] for each in next(portions)] == ["4"]
    assert len(pages) == 1
    assert len(list(portions)) == 3


def test_efficiency_is_told_by_job_and_user(served: Served) -> None:
    """The answer covers the jobs that the user may see; the totals are sums over these jobs."""
    record = job(
        "900",
        queued_s=500,
        cluster="one",
        end_time=from_epoch(NOON_S + 510 + 36_000),
        user_identifier="ann",
        per_host=[
            {
                "node_id": "n01",
                "accelerator": [
                    {"utilization_percent_avg": 90.0},
                    {"utilization_percent_avg": 0.0},
                ],
            }
        ],
    )
    with Store.open(served.settings.store) as store:
        store.put([record], source="scheduler")
    told = served.browser("ann").get("/v1/efficiency?to=2030-01-01&from=2020-01-01").json()
    worst = told["jobs"][0]
    assert (worst["jobid"], worst["user"], worst["idle_gpus"]) == ("900", "ann", 1)
    assert worst["uses"]["gpu"] == {"share": 0.45, "level": "fair"}
    assert worst["advice"] == "1 of its 2 GPUs was idle: ask for 1."
    assert worst["idle_gpu_hours"] == pytest.approx(11.0)
    assert [each["user"] for each in told["users"]] == ["ann"]
    sums = {each["jobid"]: each["node_hours"] for each in told["jobs"]}
    assert told["total"]["node_hours"] == pytest.approx(sum(sums.values()))
    assert served.browser("sue").get("/v1/efficiency?limit=1").json()["total"]["jobs"] > len(sums)
    backwards = served.browser("sue").get("/v1/efficiency?from=2030-01-01&to=2020-01-01")
    assert backwards.status_code == 422
