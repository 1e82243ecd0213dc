"""Let any policy schedule for a running Batsim, by JSON messages over ZeroMQ."""

from schedlab.live.batsim.session import Served, Session

__all__ = ["Served", "Session"]
