"""What Batsim makes of a policy: a plain model of its messages and of its scheduler ``easy_bf``.

Batsim's processes talk by messages that take 15 microseconds each, so that what happens in the same
second is seen one by one and planned with dates that differ by a few of them.
"""

from schedlab.testing.batsim.easy_bf import EasyBf
from schedlab.testing.batsim.model import batsim_easy
from schedlab.testing.batsim.peer import play_batsim

__all__ = ["EasyBf", "batsim_easy", "play_batsim"]
