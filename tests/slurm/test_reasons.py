"""Why jobs wait in the twin, in the words of squeue."""

from __future__ import annotations

import pytest
from tests.slurm.tiny_site import CONF, SCRIPT, job, run

from schedlab.slurm import SlurmSite
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.plain import reasons
from schedlab.slurm.replay import history_of
from schedlab.slurm.waiting import waiting_at

CLOCKS = Clocks(tick_s=0.9, backfill_s=20.0, limits_s=0.0, priority_s=300.0, full_s=0.0)
EVENTS = "planned_offset_s|offset_s|took_s|rc|job|command|output\n"


def why(site: SlurmSite, at_s: float) -> dict[str, str]:
    """Return the reasons of all jobs that wait."""
    names = history_of(site).details["slurm_id"].to_list()
    return {names[at]: reason for at, reason in waiting_at(site, CLOCKS, [at_s])[at_s].items()}


def test_jobs_wait_for_resources_and_for_each_other(make) -> None:  # type: ignore[no-untyped-def]
    """The first job that does not fit waits for resources, others for it; a new one for nothing."""
    site = make(
        job(1, 1, 16, 600, 300),
        job(2, 5, 4, 600, 5),
        job(3, 6, 4, 600, 5),
        job(4, 30.2, 4, 600, 5),
    )
    assert why(site, 30.6) == {"2": "Resources", "3": "Priority", "4": "None"}


def test_jobs_that_may_not_run_yet_tell_why(make) -> None:  # type: ignore[no-untyped-def]
    """The reasons name holds, dependencies, arrays, licences and limits."""
    site = make(
        job(1, 1, 1, 600, 300, qos="scarce", licenses="matlab:1"),
        job(2, 5, 1, 600, 5, qos="scarce"),
        job(3, 5, 1, 600, 5, licenses="matlab:1"),
        job(4, 5, 1, 600, 5, hold="1"),
        job(5, 5, 1, 600, 5, dependency_ids="afterok:1"),
        job(6, 5, 1, 600, 300, array="0-1%1"),
        job(7, 5, 1, 600, 2, exit_code="1"),
        job(8, 5, 1, 600, 5, dependency_ids="afterok:7"),
        job(9, 35, 1, 600, 5, hold="1"),
        events=EVENTS + "40|40.0|0|0||scontrol release 9|\n40|40.0|0|0||scontrol hold 9|\n",
    )
    assert why(site, 50.0) == {
        "2": "QOSMaxJobsPerUserLimit",
        "3": "Licenses",
        "4": "JobHeldUser",
        "5": "Dependency",
        "6_1": "JobArrayTaskLimit",
        "8": "DependencyNeverSatisfied",
        "9": "JobHeldAdmin",
    }


def test_nodes_and_partitions_that_are_out_of_service(make) -> None:  # type: ignore[no-untyped-def]
    """z1 is the only node of partition fast, and the only new one."""
    site = make(
        job(1, 30, 4, 600, 5, constraint="new"),
        job(2, 30, 4, 600, 5, partition="fast"),
        events=EVENTS
        + "10|10.0|0|0||scontrol update NodeName=z1 State=DRAIN Reason=x|\n"
        + "60|60.0|0|0||scontrol update PartitionName=fast State=DOWN|\n",
    )
    assert why(site, 50.0) == {"1": "ReqNodeNotAvail", "2": "ReqNodeNotAvail"}
    assert why(site, 90.0)["2"] == "PartitionDown"


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("GrpTRES=cpu=4", "AssocGrpCpuLimit"),
        ("GrpTRES=node=1", "AssocGrpNodeLimit"),
        ("GrpTRES=mem=500", "AssocGrpMemLimit"),
        ("GrpJobs=1", "AssocGrpJobsLimit"),
    ],
)
def test_limits_of_accounts_have_names(make, limit: str, reason: str) -> None:  # type: ignore[no-untyped-def]
    """The second job of the account breaks the limit."""
    script = SCRIPT.replace("name=physics Fairshare=10", f"name=physics Fairshare=10 {limit}")
    site = make(job(1, 1, 4, 600, 300), job(2, 5, 4, 600, 5), script=script)
    assert why(site, 30.0) == {"2": reason}


def test_limits_are_named_as_in_slurm() -> None:
    """Slurm's names follow no single rule; these are of libslurm 22.05."""
    assert reasons.group_reason("QOS", "mem") == "QOSGrpMemLimit"
    assert reasons.group_reason("QOS", "gres/gpu") == "QOSGrpGRES"
    assert (
        reasons.group_minutes_reason("Assoc", "cpu", "RunMinutes") == "AssocGrpCPURunMinutesLimit"
    )
    assert reasons.group_minutes_reason("Assoc", "mem", "Minutes") == "AssocGrpMemMinutes"
    assert reasons.group_minutes_reason("QOS", "mem", "Minutes") == "QOSGrpMemoryMinutes"
    assert reasons.user_reason("cpu") == "QOSMaxCpuPerUserLimit"
    assert reasons.user_reason("mem") == "QOSMaxMemoryPerUser"
    assert reasons.account_reason("node") == "MaxNodePerAccount"
    assert reasons.job_reason("Assoc", "mem") == "AssocMaxMemPerJob"
    assert reasons.job_minutes_reason("QOS", "cpu") == "QOSMaxCpuMinutesPerJobLimit"


def test_forecasts_tell_why(make, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The history has no starts: all its jobs wait."""
    make(job(1, 1, 16, 600, 300), job(2, 5, 16, 600, 5), conf=CONF)
    arguments = ("--at", "10", "--forks", "2", "--moments", "0")
    code, said = run("forecast", tmp_path / "site", *arguments)
    assert code == 0, said
    assert "Resources" in said
    _, said = run("forecast", tmp_path / "site", *arguments, "--job", "2")
    assert "it waits: Resources" in " ".join(said.split())
