"""Releases of a job history without the names of people and machines."""

from schedlab.history.pseudonyms.key import make_key, read_key
from schedlab.history.pseudonyms.leak import NameSearch
from schedlab.history.pseudonyms.policy import Policy
from schedlab.history.pseudonyms.release import Release

__all__ = ["NameSearch", "Policy", "Release", "make_key", "read_key"]
