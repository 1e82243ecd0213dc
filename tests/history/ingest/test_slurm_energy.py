"""Energy of Slurm's jobs from Ganglia's databases, which Slurm itself reads too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.services.slurm import CLUSTER, Slurm, watts
from tests.services.users import ANN
from tests.services.waiting import until

from schedlab.history.aggregate import measure
from schedlab.history.gather import gather
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.schema import JobRecord
from schedlab.history.site import read_site

pytestmark = pytest.mark.slow

SITE = """
[site]
name = "test"

[[cluster]]
name = "{cluster}"

[[cluster.nodes]]
hosts = "n[01-08]"
cores = 4

[[sensor_source]]
kind = "ganglia"
name = "ganglia"
rrds = "{rrds}"

[[sensor_source.item]]
name = "power_watt"
unit = "W"
file = "{cluster}/{{host}}/node_power.rrd"
"""


def _accounted(slurm: Slurm, name: str, monkeypatch: pytest.MonkeyPatch) -> JobRecord:
    monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
    found: list[JobRecord] = []

    def ended() -> bool:
        records = (each for each in SacctText("sacct").read() if isinstance(each, JobRecord))
        found[:] = [job for job in records if job.job_name == name and job.end_time]
        return bool(found)

    until(ended, "the job is in the accounting")
    return found[0]


def test_energy_is_the_integral_of_what_was_written(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our energy is right to 1 %. Slurm misses a sample or two; it is right to three seconds."""
    slurm.submit(ANN, "-J", "power", "-N3", "--exclusive", "-t", "2", "--wrap", "srun sleep 12")
    job = _accounted(slurm, "power", monkeypatch)
    assert job.start_time is not None
    assert job.end_time is not None
    seconds = range(int(job.start_time.timestamp()) + 1, int(job.end_time.timestamp()) + 1)
    hosts = [host.node_id for host in job.per_host or ()]
    written = sum(watts(host, second) for host in hosts for second in seconds)
    (tmp_path / "site.toml").write_text(SITE.format(cluster=CLUSTER, rrds=slurm.rrds))
    site = read_site(tmp_path / "site.toml")
    measured = measure(job, site, gather(job, site))
    assert len(hosts) == 3
    assert measured.energy is not None
    assert measured.energy.total_joule == pytest.approx(written, rel=0.01)
    assert measured.maxpower_watt == max(sum(watts(h, s) for h in hosts) for s in seconds)
    accounted = measured.energy.model_dump()["accounted_joule"]
    assert accounted == pytest.approx(written, abs=3 * measured.maxpower_watt)
