"""Pages about a twin that an operator can show: one HTML file each, which opens offline."""

from schedlab.slurm.pages.pages import write_fidelity, write_proposal, write_what_if

__all__ = ["write_fidelity", "write_proposal", "write_what_if"]
