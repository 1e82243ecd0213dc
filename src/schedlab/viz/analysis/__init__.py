"""One HTML file on what is in a trace; it opens without a network."""

from schedlab.viz.analysis.report import write_analysis

__all__ = ["write_analysis"]
