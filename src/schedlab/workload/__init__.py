"""The jobs: where they come from and how they are shaped."""

from schedlab.workload.catalog import CATALOG
from schedlab.workload.generators import GENERATORS, find_generator, generate
from schedlab.workload.header import header_int
from schedlab.workload.readers import READERS, read_workload
from schedlab.workload.transforms import TRANSFORMS, apply, merge, parse_transform
from schedlab.workload.workload import COLUMNS, ReadReport, Workload
from schedlab.workload.writers import WRITERS, write_workload

__all__ = [
    "CATALOG",
    "COLUMNS",
    "GENERATORS",
    "READERS",
    "TRANSFORMS",
    "WRITERS",
    "ReadReport",
    "Workload",
    "apply",
    "find_generator",
    "generate",
    "header_int",
    "merge",
    "parse_transform",
    "read_workload",
    "write_workload",
]
