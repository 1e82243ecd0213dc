"""The jobs: where they come from and how they are shaped."""

from schedlab.workload.workload import COLUMNS, ReadReport, Workload

__all__ = ["COLUMNS", "ReadReport", "Workload"]
