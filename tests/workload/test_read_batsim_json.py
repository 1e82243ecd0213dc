"""Reading the workloads of Batsim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedlab.errors import InputError
from schedlab.workload import header_int, read_workload

SAMPLE = Path(__file__).parents[1] / "data" / "ten.json"
COMMUNICATION = "communication is not part of the run time"
DELAY = {"ten": {"type": "delay", "delay": 10}}


def write(folder: Path, content: Any) -> Path:
    """Write a JSON file with this content; return its path."""
    path = folder / "a.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_each_kind_of_profile_gives_a_run_time() -> None:
    """Delays are seconds; amounts of work are divided by the speed of a host."""
    workload = read_workload(SAMPLE)
    assert workload["run_s"].tolist() == [10, 10, 10, 1, 1, 3, 2, 2, 10, 10]
    assert read_workload(SAMPLE, flops_per_s=5e5)["run_s"].tolist()[5:8] == [6, 4, 4]


@pytest.mark.parametrize(
    ("profile", "run_s"),
    [
        ({"type": "delay", "delay": 7}, 7),
        ({"type": "parallel_homogeneous", "cpu": 8e6, "com": 1e6}, 8),
        ({"type": "parallel_homogeneous_total", "cpu": 8e6, "com": 0}, 2),
        ({"type": "msg_par_hg_tot", "cpu": 8e6}, 2),
        ({"type": "parallel", "cpu": [1e6, 3e6, 0, 0], "com": [0] * 16}, 3),
        ({"type": "parallel", "com": [5] * 16}, 0),
        ({"type": "composed", "repeat": 3, "seq": ["ten", "ten"]}, 60),
        ({"type": "composed", "seq": ["ten", "total"]}, 12),
    ],
)
def test_what_a_profile_runs_on_four_hosts(
    tmp_path: Path, profile: dict[str, Any], run_s: int
) -> None:
    """Work is per host, in total, or that of the busiest host; sequences add up."""
    total = {"type": "parallel_homogeneous_total", "cpu": 8e6, "com": 0}
    jobs = [{"id": 1, "subtime": 0, "res": 4, "walltime": 99, "profile": "p"}]
    profiles = {**DELAY, "total": total, "p": profile}
    workload = read_workload(write(tmp_path, {"jobs": jobs, "profiles": profiles}))
    assert workload["run_s"].tolist() == [run_s]
    communicates = np.any(np.asarray(profile.get("com", 0)) > 0)
    assert bool(workload.report.noticed.get(COMMUNICATION)) == communicates


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        ({"type": "usage_trace"}, "'usage_trace', whose run time depends on a trace of usage"),
        ({"type": "smpi"}, "'smpi', whose run time depends on a trace of messages"),
        ({"type": "composed", "seq": ["ten", "p"]}, "profile 'p' contains itself"),
        ({"type": "composed", "seq": "ten"}, "seq is 'ten'; must be a list of profiles"),
        ({"type": "composed", "seq": ["twenty"]}, "profile 'twenty' is not defined"),
        ({"type": "parallel", "cpu": 7}, "cpu is 7; must be a list of numbers"),
        ({"type": "parallel", "cpu": [True]}, "cpu is True; must be a number"),
    ],
)
def test_a_profile_whose_run_time_cannot_be_known(
    tmp_path: Path, profile: dict[str, Any], reason: str
) -> None:
    """It is refused with the job that uses it, not guessed."""
    jobs = [{"id": 4, "subtime": 0, "res": 4, "walltime": 99, "profile": "p"}]
    path = write(tmp_path, {"jobs": jobs, "profiles": {**DELAY, "p": profile}})
    with pytest.raises(InputError, match=f"job 4: .*{reason}"):
        read_workload(path)


def test_times_with_a_fraction_are_rounded_up_and_counted() -> None:
    """Rounded down, a job could start before its submission, or run in no time."""
    workload = read_workload(SAMPLE)
    assert workload["submit_s"].tolist()[2] == 3
    assert workload.report.repaired["time with a fraction, rounded up to a whole second"] == 3
    assert workload.report.noticed == {"communication is not part of the run time": 2}


def test_noise_of_floating_point_is_not_time(tmp_path: Path) -> None:
    """0.1 + 0.2 seconds thirty times are nine seconds, not ten."""
    profiles = {"p": {"type": "delay", "delay": sum([0.1 + 0.2] * 30)}}
    jobs = [{"id": 1, "subtime": 0, "res": 1, "walltime": 20, "profile": "p"}]
    workload = read_workload(write(tmp_path, {"jobs": jobs, "profiles": profiles}), strict=True)
    assert workload["run_s"].tolist() == [9]


def test_without_a_walltime_the_run_time_is_the_request() -> None:
    """Batsim lets such jobs run without limit."""
    workload = read_workload(SAMPLE)
    assert workload["request_s"].tolist()[3:5] == [1, 1]
    assert workload.report.repaired["no requested time, run time taken"] == 2


def test_job_numbers_may_carry_the_workloads_name() -> None:
    """Batsim writes ``w0!3``; what has no number at all gets a new one."""
    assert read_workload(SAMPLE)["job_id"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_the_number_of_hosts_is_in_the_header() -> None:
    """It has SWF's key, so that a platform can be made from any trace's header."""
    header = read_workload(SAMPLE).header
    assert header_int(header, "MaxNodes") == 8
    assert header["description"] == ("ten jobs made by hand",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"jobs": [\n  {"id" 1}]}', r"a\.json:2: not JSON"),
        ("[1, 2]", "must be a JSON object"),
        ({"jobs": []}, "has no profiles"),
        ({"jobs": [], "profiles": {}}, "has no jobs"),
        ({"jobs": [3], "profiles": {}}, "a job is 3; must be an object"),
        (
            {"jobs": [{"id": 4, "subtime": 1, "res": 1}], "profiles": {}},
            "job 4: profile None is not defined",
        ),
        ({"jobs": [{"id": 4, "profile": "ten"}], "profiles": DELAY}, "job 4: subtime is None"),
        (
            {"jobs": [{"id": 4, "profile": "ten", "subtime": 1, "res": "2"}], "profiles": DELAY},
            "job 4: res is '2'; must be a number",
        ),
        (
            {
                "jobs": [{"id": 4, "profile": "ten", "subtime": 10**400, "res": 1}],
                "profiles": DELAY,
            },
            "job 4: subtime is too large",
        ),
        (
            {
                "jobs": [{"id": 4, "profile": "p", "subtime": 1, "res": 1}],
                "profiles": {"p": {"type": "delays"}},
            },
            "job 4: profile type is 'delays'; must be one of delay, composed, parallel_homogeneous",
        ),
        ("{" * 100_000, "not JSON"),
    ],
)
def test_what_is_not_a_workload_is_one_sentence(tmp_path: Path, content: Any, reason: str) -> None:
    """The error names the file, the job and what is allowed."""
    with pytest.raises(InputError, match=reason):
        read_workload(write(tmp_path, content))
