"""What every answer has in common: headers, tags, compression, and how a refusal looks."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter
from starlette.responses import JSONResponse, Response, StreamingResponse
from tests.history.records import job
from tests.history.web.served import Served

from schedlab.errors import ParameterError, SchedlabError, SensorError, StoreError
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.metrics import Metrics
from schedlab.history.web.middleware import MOST_BYTES, POLICY

PAGE = {"accept": "text/html"}
SECRET = "postgresql://me@db.internal/history"


@pytest.fixture(scope="module")
def client(common: Served) -> httpx.Client:
    """A client of a service with extra routes that do what a test needs."""
    router = APIRouter()

    @router.get("/v1/fails/{how}")
    def fails(how: str) -> None:
        kinds = {"parameter": ParameterError, "store": StoreError, "sensor": SensorError}
        raise {**kinds, "other": SchedlabError, "bug": ValueError}[how](SECRET)

    @router.get("/v1/counted/{number}")
    @router.get("/v1/number/{number}")
    def number(number: int) -> Response:
        return JSONResponse([number] * 1_000)

    @router.get("/v1/streamed")
    def streamed() -> Response:
        return StreamingResponse(iter([b"a" * 2_000, b"b"]), media_type="text/csv")

    common.app.include_router(router)
    return common.client()


@pytest.mark.parametrize("path", ["/healthz", "/login", "/static/style.css", "/nothing", "/v1/x"])
def test_every_answer_is_guarded(common: Served, path: str) -> None:
    """The headers forbid inline code, frames and content from elsewhere."""
    headers = common.client().get(path, headers=PAGE).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert re.fullmatch(r"[0-9a-f]{16}", headers["x-request-id"])


def test_failures_are_guarded_too(client: httpx.Client) -> None:
    """The headers are there even for failures that no handler expects."""
    answer = client.get("/v1/fails/bug")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-request-id"] in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/login", "/account"])
def test_pages_have_nothing_inline(common: Served, path: str) -> None:
    """The policy would block inline styles and scripts, and pages would look broken."""
    text = common.browser("ann").get(path, headers=PAGE).text
    assert "<style" not in text
    assert " style=" not in text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+=", text)
    assert not re.search(r"(src|href)=\"(https?:)?//", text)


def test_a_page_is_not_kept_after_logging_out(common: Served) -> None:
    """The back button must not bring it up again on a shared machine."""
    assert common.browser("ann").get("/", headers=PAGE).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("how", "status"),
    [("parameter", 400), ("store", 503), ("sensor", 502), ("other", 500), ("bug", 500)],
)
def test_a_refusal_is_a_problem(
    client: httpx.Client, caplog: pytest.LogCaptureFixture, how: str, status: int
) -> None:
    """Refusals follow RFC 9457; details that may name hosts and files go only to the log."""
    answer = client.get(f"/v1/fails/{how}")
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, problem["status"]) == (status, status)
    assert (SECRET in answer.text) == (how == "parameter")
    assert (SECRET in caplog.text) == (how != "parameter")


def test_a_wrong_value_is_named_but_not_repeated(client: httpx.Client) -> None:
    """The message says where the value stood and what is allowed there."""
    answer = client.get("/v1/number/<script>")
    assert answer.status_code == 422
    assert "path.number" in answer.json()["detail"]
    assert "script" not in answer.text


def test_a_wrong_method_is_a_problem_too(common: Served) -> None:
    """The answer lists the allowed methods, as HTTP requires."""
    answer = common.client().post("/healthz")
    assert (answer.status_code, answer.json()["title"]) == (405, "Method Not Allowed")
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize("declared", [True, False])
def test_a_large_body_is_refused_before_it_is_held(common: Served, declared: bool) -> None:
    """This holds with and without a declared length, as the sender has not logged in yet."""
    parts = [b"name=", b"x" * MOST_BYTES, b"&password=y"]
    answer = common.client().post(
        "/login",
        content=b"".join(parts) if declared else iter(parts),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert (answer.status_code, answer.json()["detail"]) == (413, "the body is larger than 1 MiB")


def test_a_person_gets_a_page(common: Served) -> None:
    """The page has a link back to the first page."""
    answer = common.client().get("/nothing", headers=PAGE)
    assert answer.status_code == 404
    assert "<h1>Not Found</h1>" in answer.text
    assert 'href="/"' in answer.text
    assert "<nav" not in answer.text


def test_who_is_lost_keeps_the_navigation(common: Served) -> None:
    """An unknown path is no reason to look logged out."""
    answer = common.browser("ann").get("/nothing", headers=PAGE)
    assert answer.status_code == 404
    assert 'href="/jobs"' in answer.text
    assert "Log out" in answer.text


def test_the_first_page_leads_on(common: Served) -> None:
    """The first page shows the latest jobs; a user sees only their own."""
    page = common.browser("ann").get("/", headers=PAGE).text
    assert "anns-secret" in page
    assert "bens" not in page
    assert 'href="/users/ann"' in page


def test_what_did_not_change_is_not_sent_again(client: httpx.Client) -> None:
    """The tag stands for the content, and is the same with and without compression."""
    first = client.get("/v1/number/1")
    tag = first.headers["etag"]
    plain = client.get("/v1/number/1", headers={"accept-encoding": "identity"})
    assert first.headers["content-encoding"] == "gzip"
    assert (plain.headers["etag"], "content-encoding" in plain.headers) == (tag, False)
    for known in (tag, f'"other", {tag}', "*"):
        again = client.get("/v1/number/1", headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = client.get("/v1/number/2", headers={"if-none-match": tag})
    assert (other.status_code, other.headers["etag"] != tag) == (200, True)


def test_streams_are_not_held_back_for_a_tag(client: httpx.Client) -> None:
    """A full export must never be in memory as a whole."""
    answer = client.get("/v1/streamed")
    assert answer.content == b"a" * 2_000 + b"b"
    assert "etag" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../render.py",
        "/static/%2e%2e/render.py",
        "/static/..%2frender.py",
        "/static/%2e%2e%2f%2e%2e%2fsettings.py",
        "/static//etc/passwd",
        "/static/%00",
    ],
)
def test_no_path_leads_out_of_the_static_files(common: Served, path: str) -> None:
    """Two dots do not lead to the parent folder, however they are encoded."""
    url = httpx.URL("http://history.test/").copy_with(raw_path=path.encode())
    answer = common.client().get(url)
    assert answer.status_code in (400, 404)
    assert "import" not in answer.text


def test_the_service_says_whether_it_is_well(common: Served) -> None:
    """Anyone may ask, as the answer says nothing else."""
    answer = common.client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_service_without_its_store_is_not_well(
    common: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load balancer then chooses another instance; the answer does not say where the store is."""
    client = common.client()

    def gone() -> None:
        raise StoreError(SECRET)

    monkeypatch.setattr(common.database, "examine", gone)
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert SECRET not in answer.text


def _overwrite(path: Path, *, start: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xa5" * (path.stat().st_size - start))


@pytest.mark.parametrize("start", [0, 4_096, 16_384])
def test_a_service_whose_store_is_damaged_is_not_well(served: Served, start: int) -> None:
    """This holds for damage from the first byte on, and behind a start that is still intact."""
    client = served.client()
    assert client.get("/healthz").status_code == 200
    served.database.close()  # writes the log into the store
    _overwrite(Path(served.settings.store), start=start)
    assert client.get("/healthz").status_code == 503


def test_damage_that_a_request_met_is_not_forgotten(served: Served) -> None:
    """Only one page of many is damaged: most requests do not read it and find no fault."""
    browser, path = served.browser("root"), Path(served.settings.store)
    with Store.open(str(path)) as store:
        store.put([job(f"x{n}", job_name="y" * 2_000) for n in range(200)], source="test")
    served.database.close()
    raw = path.read_bytes()
    page = raw.index(b"y" * 1_000, len(raw) // 2) // 4_096 * 4_096
    with path.open("r+b") as file:
        file.seek(page)
        file.write(b"\xa5" * 4_096)
    assert browser.get("/healthz").status_code == 200
    assert browser.get("/v1/jobs?limit=1000").status_code == 503
    assert browser.get("/healthz").status_code == 503


def test_prometheus_reads_the_queue_and_the_waits(served: Served) -> None:
    """Values are per cluster and partition; a name that a user chose cannot break the format."""
    now_s = int(time.time())
    waiting: dict[str, Any] = {"start_time": None, "end_time": None, "state": "pending"}
    records = [
        job(str(n), queue_time=from_epoch(now_s), partition='gp"u', **waiting) for n in range(3)
    ]
    records += [
        job(
            str(10 + wait_s),
            partition="cpu",
            queue_time=from_epoch(now_s - 3_600 - wait_s),
            start_time=from_epoch(now_s - 3_600),
            end_time=from_epoch(now_s - 60),
        )
        for wait_s in (100, 200, 300)
    ]
    with Store.open(served.settings.store) as store:
        store.put(records, source="scheduler")
    lines = served.program().get("/metrics").text.splitlines()
    assert 'schedlab_jobs{cluster="one",partition="gp\\"u",state="pending"} 3' in lines
    waits = [line for line in lines if line.startswith("schedlab_job_wait_seconds{")]
    assert waits == [
        'schedlab_job_wait_seconds{cluster="one",partition="cpu",quantile="0.5"} 200',
        'schedlab_job_wait_seconds{cluster="one",partition="cpu",quantile="0.95"} 290',
    ]


def test_prometheus_reads_the_counts(client: httpx.Client, common: Served) -> None:
    """Counts are by route, not by path: an id in a label would make a series for every job."""
    for number in range(3):
        client.get(f"/v1/counted/{number}")
    client.request("BREW", "/healthz")
    text = common.program().get("/metrics").text
    at = 'method="GET",route="/v1/counted/{number}"'
    assert f'schedlab_requests_total{{{at},status="200"}} 3' in text
    assert f'schedlab_request_seconds_bucket{{{at},le="+Inf"}} 3' in text
    assert 'method="other"' in text


def test_workers_add_up_what_they_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker reports the counts of all, including one that has died since."""
    first, second = Metrics(tmp_path), Metrics(tmp_path)
    for worker, pid in ((first, 11), (second, 12)):
        monkeypatch.setattr("os.getpid", lambda pid=pid: pid)
        worker.count_request("GET", "/", 200, 0.03)
        worker.share()
    lines = list(second.lines())
    assert 'schedlab_requests_total{method="GET",route="/",status="200"} 2' in lines
    assert 'schedlab_request_seconds_bucket{method="GET",route="/",le="0.05"} 2' in lines
    assert 'schedlab_request_seconds_bucket{method="GET",route="/",le="0.025"} 0' in lines


def test_counts_are_shared_beside_the_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise requests would wait for the disk; a write that fails is tried again."""
    monkeypatch.setattr("schedlab.history.web.metrics._SHARED_EVERY_S", 0.01)
    folder = tmp_path / "counts"
    worker = Metrics(folder)
    worker.count_request("GET", "/", 200, 0.1)

    async def a_while() -> None:
        sharing = asyncio.create_task(worker.keep_sharing())
        await asyncio.sleep(0.1)
        assert not sharing.done()
        folder.mkdir()
        while not list(folder.glob("*.json")):
            await asyncio.sleep(0.01)
        sharing.cancel()

    asyncio.run(asyncio.wait_for(a_while(), 300))
    assert [path.stem for path in folder.glob("*.json")] == [str(os.getpid())]


def test_the_log_has_a_line_per_request_without_its_query(
    common: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """A query may hold a login code, and a path may contain a line break."""
    caplog.set_level(logging.INFO, "schedlab.access")
    common.client().get("/healthz?code=4711")
    common.client().get("/a%0Ab")
    assert "GET /healthz 200" in caplog.text
    assert "4711" not in caplog.text
    assert "GET /a%0Ab 404" in caplog.text
