"""What the tests of Slurm sites share: a real Slurm with its database, and a small site."""

from __future__ import annotations

from tests.services.mariadb import mariadb as mariadb
from tests.services.slurm import slurm as slurm
from tests.slurm.tiny_site import make as make
