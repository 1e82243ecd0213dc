"""Sources of standard records, ClusterCockpit's archive, and the table of all sources."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.history.ingest.reading import clean, read
from tests.history.records import job

from schedlab.errors import InputError, SchedlabError
from schedlab.history.ingest import JOB_SOURCES, make_job_source
from schedlab.history.ingest.cluster_cockpit import ClusterCockpit
from schedlab.history.ingest.standard import StandardRecords

META: dict[str, Any] = {
    "jobId": 398759,
    "user": "ann",
    "project": "physics",
    "cluster": "fritz",
    "subCluster": "main",
    "partition": "singlenode",
    "arrayJobId": 0,
    "numNodes": 1,
    "numHwthreads": 2,
    "numAcc": 1,
    "exclusive": 1,
    "jobState": "completed",
    "duration": 456,
    "walltime": 86340,
    "startTime": 1675954289,
    "resources": [{"hostname": "f1039", "hwthreads": [0, 1], "accelerators": ["00000000:4A:00.0"]}],
    "metaData": {"jobName": "pipeline"},
    "tags": [{"type": "bottleneck", "name": "memory"}],
    "statistics": {"cpu_power": {"unit": {"base": "W"}, "avg": 341, "min": 97, "max": 504}},
}


def archive(folder: Path, **changes: Any) -> ClusterCockpit:
    """Return a source of an archive with this one job."""
    place = folder / "fritz" / "398" / "759" / "1675954289"
    place.mkdir(parents=True, exist_ok=True)
    (place / "meta.json").write_text(json.dumps(META | changes))
    return ClusterCockpit("cc", str(folder))


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    """One site can read what another has exported."""
    jobs = [job("1"), job("2", site_color="blue")]
    path = tmp_path / "jobs.jsonl"
    path.write_text("".join(each.model_dump_json(exclude_none=True) + "\n" for each in jobs))
    source = StandardRecords("records", str(path))
    assert list(clean(source).values()) == jobs
    assert clean(source, source.cursor) == {}


def test_broken_records_are_faults_at_their_paths(tmp_path: Path) -> None:
    """A broken record is a fault at its path, and the others are read."""
    path = tmp_path / "jobs.json"
    good = json.loads(job("1").model_dump_json(exclude_none=True))
    path.write_text(json.dumps([good | {"per_host": [{}]}, good]))
    records, faults = read(StandardRecords("records", str(path)))
    assert list(records) == ["1"]
    assert faults == [f"{path}: $[0].per_host[0].node_id: is missing; it is required"]


def test_a_packed_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    """A copy that broke off still has whole records before that, and the fault says so."""
    path = tmp_path / "jobs.jsonl.gz"
    ids = [f"{number * 7919 % 100_003}" for number in range(2000)]
    text = "\n".join(job(each).model_dump_json(exclude_none=True) for each in ids)
    packed = gzip.compress(text.encode())
    path.write_bytes(packed[: len(packed) * 2 // 3])
    records, faults = read(StandardRecords("records", str(path)))
    assert list(records) == ids[: len(records)]
    assert len(records) > 500
    assert "cannot be unpacked: Compressed file ended before" in faults[0]
    path.write_bytes(packed[:10] + b"\xff" * 60)
    assert "invalid block type; read up to there" in read(StandardRecords("r", str(path)))[1][0]


def test_a_cluster_is_given_to_records_without_one(tmp_path: Path) -> None:
    """Equal ids of two clusters must stay apart in the store."""
    path = tmp_path / "jobs.json"
    path.write_text(job("1", cluster=None).model_dump_json(exclude_none=True))
    assert clean(StandardRecords("records", str(path), cluster="two"))["1"].cluster == "two"


def test_a_job_of_clustercockpit(tmp_path: Path) -> None:
    """The record has the CPUs and devices that the job held, and keeps its statistics."""
    found = clean(archive(tmp_path))["398759"]
    assert (found.cluster, found.exclusive, found.tags) == ("fritz", True, ["bottleneck:memory"])
    assert found.end_time is not None
    assert found.start_time is not None
    assert (found.end_time - found.start_time).total_seconds() == 456
    host = (found.per_host or [])[0]
    assert (host.node_id, host.cpu_ids) == ("f1039", [0, 1])
    assert [device.uuid for device in host.accelerator or ()] == ["00000000:4A:00.0"]
    assert (found.model_extra or {})["statistics"] == META["statistics"]


def test_the_archive_is_read_by_what_was_written_since(tmp_path: Path) -> None:
    """The cursor is the time of the newest file, which is read again; that changes nothing."""
    source = archive(tmp_path)
    first = clean(source)
    assert clean(source, source.cursor) == first
    assert clean(source, str(int(source.cursor) + 1)) == {}


def test_a_broken_job_of_the_archive_is_a_fault(tmp_path: Path) -> None:
    """The fault names the file of the job."""
    records, faults = read(archive(tmp_path, jobState="gone"))
    assert records == {}
    assert "meta.json: $.jobState is 'gone'" in faults[0]
    with pytest.raises(InputError, match="no such folder"):
        list(ClusterCockpit("cc", str(tmp_path / "missing")).read())


@dataclass
class Own:
    """A source from outside schedlab, as a site file may name one."""

    name: str
    size: int = 1
    cursor = "end"

    def read(self, since: str | None = None) -> Any:
        """Return ``size`` jobs."""
        return (job(str(number)) for number in range(self.size))


def test_sources_are_made_from_sections() -> None:
    """A kind is one of the table, or the package.module:Class of any other source."""
    source = make_job_source({"kind": "swf", "file": "a.swf", "cluster": "one"})
    assert type(source) is JOB_SOURCES["swf"]
    assert source.name == "swf"
    own = make_job_source({"kind": f"{__name__}:Own", "name": "mine", "size": 2})
    assert len(clean(own)) == 2


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ({}, "lacks the key kind"),
        ({"kind": "slurm-sact"}, 'did you mean "slurm-sacct"'),
        ({"kind": "swf", "flie": "x"}, 'did you mean "file"'),
        ({"kind": "swf"}, "say either file or command"),
        ({"kind": "slurm-sacct", "time_zone": "Nowhere"}, 'time_zone is "Nowhere"'),
        ({"kind": "slurm-database", "url": "mysql://x/y", "cluster": "a;b"}, 'cluster is "a;b"'),
    ],
)
def test_mistakes_in_a_section_are_one_sentence(section: dict[str, Any], reason: str) -> None:
    """A mistake is reported before anything is read."""
    with pytest.raises(SchedlabError, match=reason):
        make_job_source(section)
