"""One HTML file with everything about a few schedules; it opens without a network."""

from schedlab.viz.report.report import write_report

__all__ = ["write_report"]
