"""The text form of the Grid Workloads Format, of the Grid Workloads Archive."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from schedlab.workload.readers.comment_header import read_header, split_provenance
from schedlab.workload.readers.delimited import numbered_lines, split_lines
from schedlab.workload.readers.frame_records import Labels, frame_records
from schedlab.workload.readers.further import OPTIONAL, with_further
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.records import Records
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.readers.swf import SWF_FIELDS
from schedlab.workload.workload import Array, Workload

if TYPE_CHECKING:
    import polars as pl

GWF_FIELDS = (
    "JobID",
    "SubmitTime",
    "WaitTime",
    "RunTime",
    "NProcs",
    "AverageCPUTimeUsed",
    "UsedMemory",
    "ReqNProcs",
    "ReqTime",
    "ReqMemory",
    "Status",
    "UserID",
    "GroupID",
    "ExecutableID",
    "QueueID",
    "PartitionID",
    "OrigSiteID",
    "LastRunSiteID",
    "JobStructure",
    "JobStructureParams",
    "UsedNetwork",
    "UsedLocalDiskSpace",
    "UsedResources",
    "ReqPlatform",
    "ReqNetwork",
    "ReqLocalDiskSpace",
    "ReqResources",
    "VOID",
    "ProjectID",
)

GWF_COLUMNS = {**dict(zip(GWF_FIELDS, SWF_FIELDS[:16], strict=False)), "ProjectID": "account"}
"""The workload's column of each field that has one: the first 16 are those of SWF."""

FURTHER_FIELD = "ReqResources"
"""Free text, in which our writers put all other columns: ``cores_per_node=4;constraint=a&b``."""


class GwfReader(Reader):
    """Reads lines of 29 fields, numbers or names; ``#`` begins a comment."""

    suffixes = (".gwf",)

    def recognises(self, head: bytes) -> bool:
        """Recognise it by a comment sign or 29 fields in the first line."""
        first = head.lstrip().partition(b"\n")[0]
        return first.startswith(b"#") or len(first.split()) == len(GWF_FIELDS)

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs, with those of the 29 fields that a workload has columns for."""
        header, provenance = split_provenance(read_header(source.text, "#"))
        records, labels = gwf_records(source, *_split(source))
        columns, report = repair(records, options)
        return Workload(
            columns,
            name=source.stem,
            header=header,
            labels=labels,
            report=report,
            provenance=provenance,
        )


def gwf_records(
    source: Source, frame: pl.DataFrame, lines: Array | None = None
) -> tuple[Records, Labels]:
    """Return the jobs of a frame of texts, whose columns are fields of ``GWF_FIELDS``."""
    own = frame.select(*GWF_COLUMNS).rename(GWF_COLUMNS)
    records, labels = frame_records(source.path, own, lines)
    return with_further(records, _further(frame[FURTHER_FIELD]), labels)


def _further(texts: pl.Series) -> dict[str, list[str | None]]:
    """Return the columns that these texts name; ignore what other programs wrote there."""
    keys = texts.str.extract_all(r"(?:^|;)(\w+)=").explode().drop_nulls().unique()
    names = {key.strip(";=") for key in keys} & OPTIONAL - set(GWF_COLUMNS.values())
    return {
        name: [
            None if text is None else unquote(text)
            for text in texts.str.extract(rf"(?:^|;){name}=([^;]*)")
        ]
        for name in sorted(names)
    }


def _split(source: Source) -> tuple[pl.DataFrame, Array]:
    """Return the fields as texts, and the line of each job."""
    text = source.decoded().replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    lines = numbered_lines(text, trim=" \r")
    jobs = lines.filter(~lines["line"].str.starts_with("#"))
    return split_lines(source.path, jobs, " ", GWF_FIELDS, len(GWF_FIELDS))
