"""Let a policy decide for a cluster outside schedlab: another simulator, or a real one."""

from schedlab.live.scheduler import LiveScheduler, Start

__all__ = ["LiveScheduler", "Start"]
