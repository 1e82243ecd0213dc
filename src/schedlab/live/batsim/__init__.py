"""Any policy of ours as the scheduler of a running Batsim, by its JSON messages over ZeroMQ."""

from schedlab.live.batsim.session import Served, Session

__all__ = ["Served", "Session"]
