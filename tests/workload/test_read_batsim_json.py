"""Reading the workloads of Batsim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from schedlab.errors import InputError
from schedlab.workload import header_int, read_workload

SAMPLE = Path(__file__).parents[1] / "data" / "ten.json"
DELAY = {"ten": {"type": "delay", "delay": 10}}


def write(folder: Path, content: Any) -> Path:
    """A JSON file with this content."""
    path = folder / "a.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_each_kind_of_profile_gives_a_run_time() -> None:
    """Delays are seconds; amounts of work are divided by the speed of a host."""
    workload = read_workload(SAMPLE)
    assert workload["run_s"].tolist() == [10, 10, 10, 1, 1, 3, 2, 2, 10, 10]
    assert read_workload(SAMPLE, flops_per_s=5e5)["run_s"].tolist()[5:8] == [6, 4, 4]


def test_times_with_a_fraction_are_rounded_up_and_counted() -> None:
    """Rounded down a job could start before it is submitted, or run in no time."""
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
    """Under SWF's key, so that a platform can be made from any trace's header."""
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
        ({"jobs": [{"id": 4}], "profiles": {}}, "job 4: profile None is not defined"),
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
                "profiles": {"p": {"type": "smpi"}},
            },
            "job 4: profile type is 'smpi'; must be delay, parallel_homogeneous or msg_par_hg",
        ),
        ("{" * 100_000, "not JSON"),
    ],
)
def test_what_is_not_a_workload_is_one_sentence(tmp_path: Path, content: Any, reason: str) -> None:
    """The file, the job and what was allowed."""
    with pytest.raises(InputError, match=reason):
        read_workload(write(tmp_path, content))
