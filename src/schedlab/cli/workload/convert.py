"""schedlab workload convert."""

from __future__ import annotations

from schedlab.cli.console import AsJson
from schedlab.cli.reading import WorkloadOptions
from schedlab.cli.workload.writing import OutFile, OutFormat, check_target, write

EXAMPLES = (
    "schedlab workload convert trace.swf.gz trace.parquet",
    "schedlab workload convert trace.swf workload.json --out-format batsim-json",
)


def convert(
    reading: WorkloadOptions, out: OutFile, out_format: OutFormat = None, json: AsJson = False
) -> None:
    """Write a workload in another format."""
    check_target(out, out_format)
    write(reading.read(), out, out_format, json=json)
