"""What the tests of Slurm sites share: a real Slurm with its database."""

from __future__ import annotations

from tests.services.mariadb import mariadb as mariadb
from tests.services.slurm import slurm as slurm
