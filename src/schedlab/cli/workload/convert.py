"""schedlab workload convert."""

from __future__ import annotations

from schedlab.cli.console import AsJson
from schedlab.cli.reading import Reading
from schedlab.cli.workload.writing import OutFile, To, check_target, write

EXAMPLES = (
    "schedlab workload convert trace.swf.gz trace.parquet",
    "schedlab workload convert trace.swf workload.json --to batsim-json",
)


def convert(reading: Reading, out: OutFile, to: To = None, json: AsJson = False) -> None:
    """Write a workload in another format."""
    check_target(out, to)
    write(reading.read(), out, to, json=json)
