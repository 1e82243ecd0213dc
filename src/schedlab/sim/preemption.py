"""Which waiting jobs may take the nodes of running ones, and what becomes of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.units import require_whole
from schedlab.workload import Workload

By = Literal["tier", "qos", "srpt"]
Mode = Literal["cancel", "requeue", "suspend"]
BY: tuple[str, ...] = get_args(By)
MODES: tuple[str, ...] = get_args(Mode)
_CORE_BY = {"tier": 1, "qos": 1, "srpt": 2}


@dataclass(frozen=True)
class Preemption:
    """Lets waiting jobs take the nodes of running ones.

    Args:
        by: ``"tier"``: jobs in a partition with a higher ``priority_tier`` preempt those in lower
            ones. ``"qos"``: the same with the tiers that ``qos`` gives. ``"srpt"``: jobs preempt
            those with more time left than they need.
        mode: what becomes of a preempted job: ``"requeue"``, it waits again from its last
            checkpoint on; ``"cancel"``, it ends; ``"suspend"``, it waits for the same nodes and
            loses nothing. A job whose column ``preemptible`` is 0 is never preempted.
        qos: the tier of each quality of service, 0 if not named.
    """

    by: By = "tier"
    mode: Mode = "requeue"
    qos: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.by not in BY:
            raise UnknownNameError("preemption", self.by, BY)
        if self.mode not in MODES:
            raise UnknownNameError("preemption mode", self.mode, MODES)
        for name, tier in self.qos.items():
            require_whole(f'tier of QOS "{name}"', tier, 0)
        if (self.by == "qos") != bool(self.qos):
            raise ParameterError("preemption by QOS needs the tiers, as in qos={'high': 1}")

    @property
    def core_by(self) -> int:
        """The rule as the core numbers it."""
        return _CORE_BY[self.by]

    def modes(self, workload: Workload) -> NDArray[np.int8]:
        """Return what becomes of each job when it is preempted, as the core numbers it."""
        mode = 1 + MODES.index(self.mode)
        return np.where(workload["preemptible"] == 0, 0, mode).astype(np.int8)

    def suspends(self, workload: Workload) -> bool:
        """Return whether any of the jobs may be suspended."""
        return self.mode == "suspend" and bool((workload["preemptible"] != 0).any())

    def to_dict(self) -> dict[str, Any]:
        """Return the rule in plain types, for a result's configuration."""
        return {"by": self.by, "mode": self.mode} | ({"qos": dict(self.qos)} if self.qos else {})
