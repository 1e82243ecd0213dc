"""Job histories: one open record per job, from whatever a site already runs."""

from schedlab.history.client import Client

__all__ = ["Client"]
