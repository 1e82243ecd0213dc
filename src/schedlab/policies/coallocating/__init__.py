"""Policies for jobs that need nodes of several clusters at the same time."""

from schedlab.policies.coallocating.coalloc import Coalloc
from schedlab.policies.coallocating.reserve import Reserve

__all__ = ["Coalloc", "Reserve"]
