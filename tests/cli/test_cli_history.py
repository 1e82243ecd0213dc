"""schedlab history, from the first site file to a release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import TEN_JOBS, Run
from tests.history.records import job
from tests.history.tiny_site import tiny_site, write_jobs


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The tiny site, ingested, in the current folder."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path)
    assert run("history", "init").exit_code == 0
    assert run("history", "ingest").exit_code == 0
    return tmp_path


def test_init_writes_a_site_file_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """A new user's site file is valid, and a second init changes nothing."""
    monkeypatch.chdir(tmp_path)
    assert "written: site.toml" in run("history", "init", "--new-key").stdout
    before = Path("site.toml").read_text()
    assert run("history", "init").exit_code == 0
    assert Path("site.toml").read_text() == before
    assert Path("release.key").stat().st_mode & 0o777 == 0o600


def test_ingest_tells_what_it_read(site: Path, run: Run) -> None:
    """Rows count as added, changed or the same."""
    write_jobs(site, [job("1", exit_status=1), job("4", queued_s=300)])
    result = run("history", "ingest", "--json")
    (facts,) = json.loads(result.stdout)["sources"]
    assert (facts["added"], facts["changed"], facts["same"]) == (1, 1, 0)
    assert json.loads(result.stdout)["sensors"]["measured"] == 2


@pytest.mark.slow
def test_ingest_goes_on_after_a_broken_row_and_says_so(site: Path, run: Run) -> None:
    """Exit code 1: something was done, and something is to be corrected."""
    jobs = Path("jobs.jsonl")
    jobs.write_text(jobs.read_text() + '{"jobid": 5}\n')
    result = run("history", "ingest")
    assert result.exit_code == 1
    assert "jobs.jsonl:4: $.jobid" in result.stdout


@pytest.mark.slow
def test_a_trace_needs_no_site_file(tmp_path: Path, run: Run) -> None:
    """A store can be filled from one file, and holds its jobs."""
    store = tmp_path / "ten.db"
    run("history", "init", "--store", store)
    source = ("--kind", "swf", TEN_JOBS)
    result = run("history", "ingest", *source, "--store", store, "--json")
    (facts,) = json.loads(result.stdout)["sources"]
    assert (facts["added"], facts["fault_count"], facts["failure"]) == (10, 0, None)
    first, *_ = shown = json.loads(run("history", "show", "--store", store, "--json").stdout)
    assert len(shown) == 10
    assert (first["jobid"], first["req_walltime_sec"]) == ("1", 200)
    assert first["resource_alloc"]["num_host"] == 4


def test_what_is_read_without_a_site_file_must_be_named(run: Run) -> None:
    """``--kind`` needs a file to read, and ``--cluster`` needs ``--kind``."""
    result = run("history", "ingest", "--kind", "swf")
    assert (result.exit_code, "name the file, folder or database" in result.stderr) == (2, True)
    assert "--cluster belongs to --kind" in run("history", "ingest", "--cluster", "big").stderr


def test_show_tells_the_time_of_the_site_and_of_jobs_left_out(site: Path, run: Run) -> None:
    """Times are in the site's time zone, as in records; stderr says that jobs were left out."""
    text = Path("site.toml").read_text()
    Path("site.toml").write_text(text.replace("[site]", '[site]\ntime_zone = "Asia/Tokyo"'))
    assert "2023-11-15 21:00" in run("history", "show").stdout
    result = run("history", "show", "--limit", "1", "--json")
    assert [each["start_time"] for each in json.loads(result.stdout)] == ["20231115T210010+0900"]
    assert "the first 1 of 3 jobs" in result.stderr


def test_show_lists_jobs_and_prints_a_record(site: Path, run: Run) -> None:
    """One job is shown as the standard record, with what was measured."""
    assert "n[01-02]" in run("history", "show", "--node", "n02").stdout
    record = json.loads(run("history", "show", "2").stdout)
    assert record["energy"]["total_joule"] == pytest.approx(30_000)
    assert run("history", "show", "--state", "failed", "--json").stdout.count('"jobid"') == 1


def test_show_says_what_is_wrong(site: Path, run: Run) -> None:
    """Unknown states, times and jobs are named."""
    assert 'did you mean "failed"' in run("history", "show", "--state", "faild").stderr
    assert "is not a time" in run("history", "show", "--from", "yesterday").stderr
    result = run("history", "show", "77")
    assert (result.exit_code, "has no such job" in result.stderr) == (2, True)


@pytest.mark.slow
def test_status_shows_sources_and_items(site: Path, run: Run) -> None:
    """The status says how far each source was read, and how well each item is covered."""
    facts = json.loads(run("history", "status", "--json").stdout)
    (source,) = facts["sources"]
    assert (source["name"], source["jobs"], source["failure"]) == ("scheduler", 3, None)
    (item,) = facts["items"]
    assert (item["item"], item["jobs"], item["absent"]) == ("power_watt", 3, 0)
    assert "power_watt" in run("history", "status").stdout


@pytest.mark.slow
def test_the_doctor_finds_what_is_missing(site: Path, run: Run) -> None:
    """All is well; then the sensors' file is gone, and the doctor says what to do."""
    assert run("history", "doctor", "--at", "2023-11-15T12:10").exit_code == 0
    late = run("history", "doctor", "--at", "2023-12-15")
    assert "no data of the last day" in " ".join(late.stdout.split())
    Path("power.csv").unlink()
    result = run("history", "doctor")
    assert result.exit_code == 1
    assert "!!  sensor source meter" in result.stdout


@pytest.mark.slow
def test_a_store_that_others_can_read_is_told(site: Path, run: Run) -> None:
    """An earlier version made such stores; the message gives the command that repairs the mode."""
    Path("history.db").chmod(0o644)
    for command in ("init", "ingest", "doctor"):
        told = " ".join(run("history", command).output.split())
        assert "history.db: has mode 644, others can reach it" in told, command
        assert "run: chmod 600 history.db" in told, command


@pytest.mark.slow
def test_an_export_can_be_validated_and_simulated(site: Path, run: Run) -> None:
    """The export follows the standard, and is a workload."""
    assert run("history", "export", "jobs.out.jsonl").exit_code == 0
    assert run("history", "validate", "jobs.out.jsonl").exit_code == 0
    result = run("simulate", "jobs.out.jsonl", "--policy", "easy", "--json")
    assert json.loads(result.stdout)[0]["jobs"] == 3


def test_an_export_of_some_jobs_has_the_size_of_the_site(site: Path, run: Run) -> None:
    """The machine is not smaller because only some of it was in use."""
    from schedlab.workload import read_workload

    described = site / "site.toml"
    described.write_text(described.read_text().replace("n[01-02]", "n[01-08]"))
    assert run("history", "export", "jobs.swf", "--user", "ann").exit_code == 0
    assert read_workload(site / "jobs.swf").header["MaxNodes"] == ("8",)


def test_validate_names_each_fault(tmp_path: Path, run: Run) -> None:
    """Each fault is named with its line and its path in the JSON; the exit code is 2."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"jobid": "1", "req_walltime_sec": "long"}\n')
    result = run("history", "validate", bad)
    assert result.exit_code == 2
    assert "$.req_walltime_sec" in result.stdout
    assert "$.resource_req is missing" in result.stdout.replace(": is", " is")


@pytest.mark.slow
def test_a_release_has_no_names(site: Path, run: Run) -> None:
    """Without a key there is no release; with one, no real name is in the file."""
    release = ("history", "export", "out.json", "--release", "spring")
    assert "does not exist" in run(*release).stderr
    run("history", "init", "--new-key")
    result = run(*release, "--shift-days", "-365")
    assert "searched for 4 real names" in result.stdout
    text = Path("out.json").read_text()
    assert not any(name in text for name in ("ann", "physics", "n01", "2023"))
    assert "20221115T120000" in text


def test_a_site_file_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """The sentence says how to get one."""
    monkeypatch.chdir(tmp_path)
    result = run("history", "status")
    assert (result.exit_code, "schedlab history init" in result.stderr) == (2, True)


@pytest.mark.slow
def test_the_demo_shows_one_job(tmp_path: Path, run: Run) -> None:
    """A miniature site, ingested: the record has power, CPU and GPUs."""
    result = run("demo", "history", "--out", tmp_path / "demo", "--json")
    record = json.loads(result.stdout)
    assert record["per_host"][0]["accelerator"][0]["utilization_percent_avg"] > 0
    assert record["maxpower_watt"] > 0
    site = tmp_path / "demo" / "site.toml"
    assert "106 jobs" in run("history", "doctor", "--site", site, "--at", "2026-01-06").stdout
