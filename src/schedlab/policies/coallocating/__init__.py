"""Policies for jobs that need nodes of several clusters at the same time."""

from schedlab.policies.coallocating.coalloc import Coalloc

__all__ = ["Coalloc"]
