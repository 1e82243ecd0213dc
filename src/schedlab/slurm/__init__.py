"""A twin of a Slurm site: its machine, accounts, parameters and history."""

from schedlab.slurm.accounts import Accounts, Association, Qos, User
from schedlab.slurm.commands import Command
from schedlab.slurm.details import DETAILS
from schedlab.slurm.layout import NodeLayout, PartitionRules, ReservationRules, Switch
from schedlab.slurm.parameters import SlurmParameters, defaults_of
from schedlab.slurm.site import SlurmHistory, SlurmSite
from schedlab.slurm.site_folder import read_site, write_site

__all__ = [
    "DETAILS",
    "Accounts",
    "Association",
    "Command",
    "NodeLayout",
    "PartitionRules",
    "Qos",
    "ReservationRules",
    "SlurmHistory",
    "SlurmParameters",
    "SlurmSite",
    "Switch",
    "User",
    "defaults_of",
    "read_site",
    "write_site",
]
