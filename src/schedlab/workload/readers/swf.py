"""The Standard Workload Format of the Parallel Workloads Archive."""

from __future__ import annotations

from schedlab._core import scan_numbers
from schedlab.errors import InputError
from schedlab.workload.readers.comment_header import read_header, split_provenance
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.records import Records, and_more
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

SWF_FIELDS = (
    "job_id",
    "submit_s",
    "wait_s",
    "run_s",
    "allocated_procs",
    "cpu_time_s",
    "used_memory_kb",
    "requested_procs",
    "request_s",
    "requested_memory_kb",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "depends_on",
    "think_time_s",
)


class SwfReader(Reader):
    """Reads lines of 18 numbers; ``;`` begins a comment."""

    suffixes = (".swf",)

    def recognises(self, head: bytes) -> bool:
        """Recognise it by a comment sign or 18 fields in the first line."""
        first = head.lstrip().partition(b"\n")[0]
        return first.startswith(b";") or len(first.split()) == len(SWF_FIELDS)

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the jobs, with the header and those of the 18 fields that any job has."""
        header, provenance = split_provenance(read_header(source.text, ";"))
        columns, report = repair(_scan(source), options)
        return Workload(
            columns, name=source.stem, header=header, report=report, provenance=provenance
        )


def _scan(source: Source) -> Records:
    values, lines, bad, bad_total = scan_numbers(source.text, len(SWF_FIELDS), ";")
    if bad:
        line, reason = bad[0]
        raise InputError.at(source.path, line, reason + and_more(bad_total))
    return Records(source.path, dict(zip(SWF_FIELDS, values, strict=True)), lines)
