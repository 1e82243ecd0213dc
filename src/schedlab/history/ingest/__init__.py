"""Sources of job records: one file for each kind of accounting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.history.ingest.archive_trace import GwfTrace, SwfTrace
from schedlab.history.ingest.cluster_cockpit import ClusterCockpit
from schedlab.history.ingest.grid_engine import GridEngine
from schedlab.history.ingest.slurm.database import SlurmDatabase
from schedlab.history.ingest.slurm.jobcomp import JobComp
from schedlab.history.ingest.slurm.sacct_json import SacctJson
from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.ingest.source import Fault, JobSource
from schedlab.history.ingest.standard import StandardRecords
from schedlab.lookup import find_class
from schedlab.sections import build

__all__ = ["JOB_SOURCES", "Fault", "JobSource", "make_job_source"]

JOB_SOURCES: dict[str, type[JobSource]] = {
    "slurm-sacct": SacctText,
    "slurm-sacct-json": SacctJson,
    "slurm-jobcomp": JobComp,
    "slurm-database": SlurmDatabase,
    "grid-engine": GridEngine,
    "swf": SwfTrace,
    "gwf": GwfTrace,
    "standard": StandardRecords,
    "clustercockpit": ClusterCockpit,
}


def make_job_source(section: Mapping[str, Any], where: str = "[[job_source]]") -> JobSource:
    """Return the source that a section of the site file describes: its ``kind``, and its options.

    ``kind`` is a name in ``JOB_SOURCES`` or ``package.module:Class``, a dataclass of the options.
    """
    if not isinstance(section.get("kind"), str):
        raise InputError(f"{where} lacks the key kind; known: {', '.join(JOB_SOURCES)}")
    source = find_class("job source", section["kind"], JOB_SOURCES)
    options = {key: value for key, value in section.items() if key != "kind"}
    made = build(source, {"name": section["kind"], **options}, where)
    if not isinstance(made, JobSource):
        raise ParameterError(f'job source "{section["kind"]}" has no method read')
    return made
