"""What Batsim makes of a policy: a plain model of its messages and of its scheduler ``easy_bf``.

Batsim's processes exchange messages that take 15 microseconds each. Events of the same second are
therefore seen one by one, and planned with dates that differ by a few message times.
"""

from schedlab.testing.batsim.easy_bf import EasyBf
from schedlab.testing.batsim.model import batsim_easy
from schedlab.testing.batsim.peer import play_batsim

__all__ = ["EasyBf", "batsim_easy", "play_batsim"]
