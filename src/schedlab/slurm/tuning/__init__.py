"""Search for better settings of a site's slurmctld, on its twin."""

from schedlab.slurm.tuning.knobs import Knob, knobs_of
from schedlab.slurm.tuning.proposal import Proposal, TuneSettings, propose

__all__ = ["Knob", "Proposal", "TuneSettings", "knobs_of", "propose"]
