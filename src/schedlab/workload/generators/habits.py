"""Habits of users, who often ask for the same as before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Whole = NDArray[np.int64]

_HABIT = 0.5
"""The share of jobs that ask for what is usual for their user."""


@dataclass(frozen=True, eq=False)
class Habits:
    """The users of some jobs, and the generators that draw their habits.

    Args:
        for_users: draws what is usual for each user.
        for_jobs: draws the rest.
        user: the user of each job.
        users: the number of users.
    """

    for_users: np.random.Generator
    for_jobs: np.random.Generator
    user: Whole
    users: int

    def draw(self, values: Whole, shares: Values) -> Whole:
        """Return what each job asks for: its user's usual value half of the time, else any."""
        usual = self.for_users.choice(values, self.users, p=shares)
        other = self.for_jobs.choice(values, len(self.user), p=shares)
        own = self.for_jobs.random(len(self.user)) < _HABIT
        return np.where(own, usual[self.user], other)


def shares_of_users(users: int, offset: float, power: float) -> Values:
    """Return the share of jobs of each user, which falls with a power of rank + offset."""
    weight = (offset + np.arange(1.0, users + 1)) ** -power
    share: Values = weight / weight.sum()
    return share
