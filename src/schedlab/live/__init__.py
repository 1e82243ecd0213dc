"""A policy of ours on a cluster that somebody else runs: a simulator of others, or a real one."""

from schedlab.live.scheduler import LiveScheduler, Start

__all__ = ["LiveScheduler", "Start"]
