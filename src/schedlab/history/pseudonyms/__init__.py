"""Releases of a job history without the names of people and machines."""

from schedlab.history.pseudonyms.key import make_key, read_key
from schedlab.history.pseudonyms.leak import NameSearch
from schedlab.history.pseudonyms.policy import PseudonymPolicy
from schedlab.history.pseudonyms.release import Release

__all__ = ["NameSearch", "PseudonymPolicy", "Release", "make_key", "read_key"]
