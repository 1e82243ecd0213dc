"""ACER: actor-critic with experience replay (Wang et al., 2017), in Stable-Baselines3's style."""

from schedlab.rl.acer.acer import ACER
from schedlab.rl.acer.policy import AcerCnnPolicy, AcerPolicy
from schedlab.rl.acer.segments import Segment, SegmentBuffer

__all__ = ["ACER", "AcerCnnPolicy", "AcerPolicy", "Segment", "SegmentBuffer"]
