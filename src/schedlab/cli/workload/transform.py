"""schedlab workload transform."""

from __future__ import annotations

from schedlab.cli.console import AsJson
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.workload.writing import OutFile, OutFormat, check_target, write

EXAMPLES = (
    "schedlab workload transform trace.swf small.swf --transform head=1000 --transform min_run=90s",
    "schedlab workload transform trace.swf busy.swf --transform load=1.1:128 --seed 1",
)


def transform(
    reading: WorkloadOptions,
    out: OutFile,
    shaping: Shaping,
    out_format: OutFormat = None,
    json: AsJson = False,
) -> None:
    """Shape a workload and write the result."""
    shaping.check()
    check_target(out, out_format)
    write(shaping.apply(reading.read(shaping.seed)), out, out_format, json=json)
