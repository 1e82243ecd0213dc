"""Job sources, made from a site file and without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.history.tiny_site import tiny_site

from schedlab.errors import SchedlabError
from schedlab.history.doctor import examine
from schedlab.history.ingest.cluster_cockpit import ClusterCockpit
from schedlab.history.ingest.grid_engine import GridEngine
from schedlab.history.ingest.slurm.database import SlurmDatabase
from schedlab.history.sources import job_sources, lone_job_source

DATABASE = "mariadb://reader:se:cr@t@db.example/slurm_acct_db"


class Undescribed:
    """A source that is no dataclass, so that its options are unknown."""


def test_what_is_named_is_what_the_kind_reads() -> None:
    """The kind decides whether the name is a file, a folder, or the URL of a database."""
    log = lone_job_source("grid-engine", "accounting", "big")
    archive = lone_job_source("clustercockpit", "job-archive")
    tables = lone_job_source("slurm-database", DATABASE, "big")
    assert isinstance(log, GridEngine)
    assert (log.file, log.cluster, log.name) == ("accounting", "big", "accounting")
    assert isinstance(archive, ClusterCockpit)
    assert archive.folder == "job-archive"
    assert isinstance(tables, SlurmDatabase)
    assert (tables.url, tables.cluster) == (DATABASE, "big")


def test_a_password_does_not_become_a_name() -> None:
    """The store keeps the names of sources, and status shows them."""
    assert lone_job_source("slurm-database", DATABASE, "big").name == (
        "mariadb://reader@db.example/slurm_acct_db"
    )


@pytest.mark.parametrize(
    ("kind", "where", "cluster", "sentence"),
    [
        ("sfw", "trace.swf", None, 'unknown job source "sfw"; did you mean "swf"'),
        ("slurm-database", DATABASE, None, "lacks the key cluster"),
        ("slurm-database", "trace.swf", "big", "url is not that of a database"),
        (
            "clustercockpit",
            "archive",
            "big",
            'unknown key or section of --kind "archive" "cluster"',
        ),
        (f"{__name__}:Undescribed", "x", None, "has no option file, folder, url"),
    ],
)
def test_a_mistake_without_a_site_file_is_one_sentence(
    kind: str, where: str, cluster: str | None, sentence: str
) -> None:
    """The sentence says what is wrong and does not contain the password."""
    with pytest.raises(SchedlabError, match=sentence) as caught:
        lone_job_source(kind, where, cluster)
    assert "cr@t" not in str(caught.value)


def test_a_section_that_is_wrong_is_named_with_its_file(tmp_path: Path) -> None:
    """The doctor reports the section and goes on to the sensors."""
    site = tiny_site(tmp_path, '[[job_source]]\nkind = "standrd"\n')
    sentence = 'site.toml: unknown job source "standrd"; did you mean "standard"'
    with pytest.raises(SchedlabError, match=sentence):
        job_sources(site)
    findings = {each.what: each for each in examine(site, str(tmp_path / "none.db"), 0.0)}
    assert sentence in findings["job sources"].says
    assert findings["sensor source meter"].is_well


def test_the_doctor_tells_one_bad_row_from_a_wrong_kind(tmp_path: Path) -> None:
    """Where other rows are read, neither kind nor time_zone can be the cause."""
    site, log = tiny_site(tmp_path), tmp_path / "jobs.jsonl"

    def remedy() -> str | None:
        findings = {each.what: each for each in examine(site, str(tmp_path / "none.db"), 0.0)}
        return findings["job source scheduler"].remedy

    assert remedy() is None
    log.write_text(log.read_text() + "{}\n")
    assert remedy() == "look at these rows in the source; all others are read"
    log.write_text("{}\n")
    assert remedy() == "see whether kind fits the source, and time_zone"


def test_an_archive_is_read_without_a_site_file(tmp_path: Path) -> None:
    """A job archive is opened by the same function as every other kind."""
    folder = tmp_path / "archive" / "big" / "0" / "007" / "1700000000"
    folder.mkdir(parents=True)
    meta = {"jobId": 7, "cluster": "big", "user": "ann", "jobState": "completed", "numNodes": 1}
    meta |= {"startTime": 1_700_000_000, "duration": 60, "resources": [{"hostname": "n01"}]}
    (folder / "meta.json").write_text(json.dumps(meta))
    (record,) = lone_job_source("clustercockpit", str(tmp_path / "archive")).read()
    assert getattr(record, "jobid", None) == "7"
