"""The Python client against a service that listens on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import polars as pl
import pytest
from tests.command_schemas import check_json
from tests.history.records import measured_job
from tests.history.web.listening import listening
from tests.history.web.served import JOBS, Served
from typer.testing import CliRunner, Result

from schedlab.cli.app import app
from schedlab.errors import ServiceError
from schedlab.history import Client
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.access import Role
from schedlab.history.web.access.viewer import SCOPES

pytestmark = pytest.mark.slow

NOON = datetime(2023, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def client(common: Served) -> Iterator[Client]:
    """A client that may read and send."""
    program = common.program(scopes=SCOPES[Role.API])
    token = program.headers["authorization"].removeprefix("Bearer ")
    with listening(common.app) as url, Client(f"{url}/", token) as made:
        yield made


def test_jobs_are_a_frame(client: Client) -> None:
    """Filters are those of the API; times may be datetimes, and a filter may list several names."""
    frame = client.jobs(user=["ann", "ben"], from_=NOON, time="queued", sort="queue_time")
    assert frame["jobid"].to_list() == ["1", "2"]
    assert frame["start_time"][0] == NOON.replace(second=10)
    assert client.jobs(fields=["jobid", "num_host"], limit=1).rows() == [("4", 1)]


def test_records_follow_the_pages(client: Client) -> None:
    """All records come one after the other, however many pages they fill."""
    assert [each["jobid"] for each in client.records()] == ["4", "3", "2", "1"]
    assert client.job("1") == JOBS[0].model_dump(mode="json", exclude_none=True)


@pytest.mark.parametrize("page", [1, 2, 3, 1_000])
def test_a_limit_is_of_all_pages_together(
    client: Client, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    """A limit of 3 returns three jobs, on however many pages; a limit of 0 is refused."""
    monkeypatch.setattr("schedlab.history.client._LARGEST_PAGE", page)
    for limit, jobs in ((1, ["4"]), (3, ["4", "3", "2"]), (9, ["4", "3", "2", "1"])):
        assert [each["jobid"] for each in client.records(limit=limit)] == jobs
        assert client.jobs(limit=limit)["jobid"].to_list() == jobs
    with pytest.raises(ServiceError, match="limit"):
        list(client.records(limit=0))


def test_a_timeline_is_a_frame_of_times_and_values(client: Client) -> None:
    """The URI is the one in the record; the values come in steps if the caller asks for them."""
    uri = "timelines/one/1/n01/power_watt?from=20231115T120010%2B0000&to=20231115T120150%2B0000"
    frame = client.timeline(uri, freq="50s")
    assert frame["value"].to_list() == [100.0, 100.0]
    assert frame["start"][0] == NOON.replace(second=10)
    assert frame["end"][-1] == NOON.replace(minute=1, second=50)
    assert client.timeline(uri, to=NOON.replace(second=40)).height == 3
    assert "end" not in client.timeline(uri, max_points=4).columns


def test_sums_and_accuracy_are_frames(client: Client) -> None:
    """Sums have one row per group, accuracy one per period."""
    sums = client.stats("group", state="completed")
    assert dict(sums.select("group", "jobs").iter_rows())["physics"] == 2
    expected = pl.DataFrame(
        {"period": ["2023-11"], "jobs": [1], "mean_wra": [1 / 6], "wrsa": [0.3 + 0.7 / 6]}
    )
    assert client.accuracy("ann").equals(expected)
    assert client.clusters()["site"] == "tiny"


def test_what_was_sent_comes_back(client: Client) -> None:
    """A hook in Python needs three lines."""
    long_ago = {"queue_time": from_epoch(0), "start_time": from_epoch(1), "end_time": from_epoch(9)}
    record = (
        measured_job("c1").model_copy(update=long_ago).model_dump(mode="json", exclude_none=True)
    )
    assert client.ingest([record]) == {"added": 1, "changed": 0, "same": 0}
    assert client.job("c1", cluster="one", queue_time=from_epoch(0)) == record


def test_a_refusal_is_one_sentence(client: Client) -> None:
    """The message has the service's own words and says which service it was."""
    with pytest.raises(ServiceError, match=r'^http://127.*: unknown sort "size"'):
        client.jobs(sort="size")
    with pytest.raises(ServiceError, match="not found, or you have no permission"):
        client.job("nothing")
    with (
        Client(client.url, "wrong") as stranger,
        pytest.raises(ServiceError, match="unknown, withdrawn or expired"),
    ):
        stranger.clusters()
    with (
        Client("http://127.0.0.1:9", timeout_s=2) as lost,
        pytest.raises(ServiceError, match="does not answer"),
    ):
        lost.job("1")


def test_jobs_are_listed_in_a_terminal(
    client: Client, common: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is like that of sacct; a name cannot send commands to the terminal."""
    hostile = measured_job("hostile", job_name="a\x1b[31mb\n", queued_s=9_000)
    with Store.open(common.settings.store) as store:
        store.put([hostile], source="scheduler")
    token = tmp_path / "token"
    token.write_text(common.program().headers["authorization"].removeprefix("Bearer ") + "\n")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("SCHEDLAB_URL", client.url)

    def run(*options: str) -> Result:
        return CliRunner().invoke(app, ["jobs", "--token-file", str(token), *options])

    listed = run("--user", "ann", "--limit", "2").stdout.splitlines()
    assert listed[0].split()[:4] == ["job", "name", "user", "state"]
    assert "a\N{REPLACEMENT CHARACTER}[31mb" in listed[2]
    (one,) = told = json.loads(run("1", "--json").stdout)
    check_json("jobs", told)
    assert one["jobid"] == "1"
    assert "no such job" in run("nothing").stderr
    wrong = run("--state", "dancing")
    assert (wrong.exit_code, "state" in wrong.stderr) == (2, True)
    monkeypatch.delenv("SCHEDLAB_URL")
    lost = run()
    assert (lost.exit_code, "SCHEDLAB_URL" in lost.stderr) == (2, True)
    missing = CliRunner().invoke(app, ["jobs", "--url", client.url, "--token-file", "none"])
    assert (missing.exit_code, "token none: no such file" in missing.stderr) == (2, True)


@pytest.fixture
def administrator(twinned: Served) -> Iterator[Client]:
    """A client with an administrator's token, of a service with a twin and a worker."""
    program = twinned.program("root", SCOPES[Role.ADMIN])
    token = program.headers["authorization"].removeprefix("Bearer ")
    runner, ended = twinned.app.state.service.runner, Event()

    def work() -> None:
        while not ended.wait(0.05):
            runner.run_next()

    worker = Thread(target=work)
    worker.start()
    with listening(twinned.app) as url, Client(url, token) as made:
        yield made
    ended.set()
    worker.join()


def test_what_another_configuration_of_slurm_would_have_done(administrator: Client) -> None:
    """The parameters are a frame; the what-if method waits for the result and returns it."""
    parameters = administrator.slurm_parameters()
    interval = parameters.filter(pl.col("name") == "SchedulerParameters.bf_interval")
    assert interval["value"].to_list() == ["30"]
    found = administrator.slurm_what_if("bf_interval=5", nodes=["1:z1"], phases=1)
    assert found["changes"][0] == "SchedulerParameters.bf_interval=5 instead of 30"
    assert found["rows"][0]["jobs"] == 30


def test_what_another_policy_would_have_done(administrator: Client) -> None:
    """The outcome "as it was" comes first."""
    found = administrator.what_if("one", ["easy"], from_=NOON, to=NOON.replace(hour=13))
    assert [each["policy"] for each in found["outcomes"]] == ["as it was", "easy"]


def test_a_simulation_that_fails_says_why(administrator: Client) -> None:
    """A window without jobs has nothing to simulate; a question without a change is refused."""
    later = NOON.replace(year=2024)
    with pytest.raises(ServiceError, match="has no result: no job that has ended"):
        administrator.what_if("one", ["easy"], from_=later, to=later.replace(hour=13))
    with pytest.raises(ServiceError, match="nothing is changed"):
        administrator.slurm_what_if()
