"""Users have habits: what one asks for is often what this user asked for before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

_HABIT = 0.5
"""How often a user asks for what is usual for this user."""


@dataclass(frozen=True, eq=False)
class Habits:
    """The users of some jobs, and where their chance comes from.

    Args:
        for_users: draws what is usual for each user.
        for_jobs: draws the rest.
        user: of each job.
        users: how many there are.
    """

    for_users: np.random.Generator
    for_jobs: np.random.Generator
    user: Whole
    users: int

    def draw(self, values: Whole, shares: Values) -> Whole:
        """Return what each job asks for: half of the time what is usual for its user, else any."""
        usual = self.for_users.choice(values, self.users, p=shares)
        other = self.for_jobs.choice(values, len(self.user), p=shares)
        own = self.for_jobs.random(len(self.user)) < _HABIT
        return np.where(own, usual[self.user], other)


def shares_of_users(users: int, offset: float, power: float) -> Values:
    """Return the share of jobs of each user, which falls with a power of rank + offset."""
    weight = (offset + np.arange(1.0, users + 1)) ** -power
    share: Values = weight / weight.sum()
    return share
