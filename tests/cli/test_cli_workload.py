"""schedlab workload convert, generate, transform, catalog and fetch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_schemas import check_json

from schedlab.workload import CATALOG, GENERATORS, read_workload
from schedlab.workload.catalog import Trace

Run = Callable[..., Any]


def test_a_workload_is_converted(run: Run, head_blocked: str, tmp_path: Path) -> None:
    """The new file has the same jobs in another format."""
    out = tmp_path / "out.parquet"
    result = run("workload", "convert", head_blocked, out)
    assert f"{out}: 3 jobs submitted within 2.00 s" in result.stdout
    assert read_workload(out) == read_workload(head_blocked)


def test_what_a_format_cannot_carry_is_said(run: Run, tmp_path: Path) -> None:
    """SWF has no place for the cores of a node."""
    given, out = tmp_path / "a.csv", tmp_path / "out.data"
    given.write_text("job_id,submit_s,nodes,request_s,run_s,cores_per_node\n1,0,1,0,10,4\n")
    result = run("workload", "convert", given, out, "--out-format", "swf", "--json")
    assert json.loads(result.stdout)["left_out"] == ["cores_per_node"]
    assert "the format has no place for" in result.stderr
    assert "reader: repaired" in result.stderr


def test_the_target_is_checked_before_the_trace_is_read(run: Run, tmp_path: Path) -> None:
    """An unknown suffix is refused first."""
    result = run("workload", "convert", "absent.swf", tmp_path / "out.xyz")
    assert result.exit_code == 2
    assert "no format has this suffix" in result.stderr


def test_a_workload_is_transformed(run: Run, head_blocked: str, tmp_path: Path) -> None:
    """Each step is in the result's provenance."""
    out = tmp_path / "out.csv"
    steps = ("--transform", "head=2", "--transform", "set_request=random:0.5", "--seed", "7")
    result = run("workload", "transform", head_blocked, out, *steps, "--json")
    assert json.loads(result.stdout)["steps"] == ["read", "head", "set_request"]
    assert len(read_workload(out)) == 2


@pytest.mark.parametrize("model", GENERATORS)
def test_every_model_generates(run: Run, tmp_path: Path, model: str) -> None:
    """The help names all models, and the same seed gives the same file."""
    out = [tmp_path / "a.swf", tmp_path / "b.swf"]
    for each in out:
        options = ("--jobs", "20", "--seed", "5", "--out", each)
        assert run("workload", "generate", model, *options).exit_code == 0
    assert out[0].read_bytes() == out[1].read_bytes()
    assert len(read_workload(out[0])) == 20
    assert model in run("workload", "generate", "--help").stdout


def test_a_model_takes_parameters(run: Run, tmp_path: Path) -> None:
    """Each --set gives one parameter."""
    out = tmp_path / "a.swf"
    settings = ("--set", "nodes=16", "--set", "typed=true")
    run("workload", "generate", "lublin", "--jobs", "50", "--out", out, *settings)
    workload = read_workload(out)
    assert workload.header["MaxNodes"] == ("16",)
    assert "queue" in workload


def test_the_catalog_lists_every_trace(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JSON says whom to cite for each trace."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/absent")
    listed = json.loads(run("workload", "catalog", "--json").stdout)
    assert [each["name"] for each in listed] == list(CATALOG)
    assert all(each["citation"] and each["path"] is None for each in listed)
    table = run("workload", "catalog").stdout
    assert all(name in table for name in CATALOG)


def test_a_trace_in_the_cache_is_not_fetched_again(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only its path is on stdout, so that a script can use it."""
    digest = hashlib.sha256(b"jobs").hexdigest()
    monkeypatch.setitem(CATALOG, "tiny", Trace("tiny", "a test", 1, "nobody", "l_tiny", digest))
    cached = tmp_path / "tiny.swf.gz"
    cached.write_bytes(b"jobs")
    result = run("workload", "fetch", "tiny", "--cache-dir", tmp_path)
    assert result.stdout == f"{cached}\n"
    assert "Please cite: tiny" in result.stderr
    found = json.loads(run("workload", "fetch", "tiny", "--cache-dir", tmp_path, "--json").stdout)
    check_json("workload fetch", found)
    assert found["path"] == str(cached)


def test_an_unreachable_archive_is_one_line(run: Run, tmp_path: Path) -> None:
    """No server listens on port 9."""
    name, mirror = "KTH-SP2-1996-2.1-cln", "http://127.0.0.1:9"
    result = run("workload", "fetch", name, "--mirror", mirror, "--cache-dir", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "cannot be reached" in result.stderr
