"""The fixture that the tests of Slurm sites share: a small site."""

from __future__ import annotations

from tests.slurm.tiny_site import make as make
