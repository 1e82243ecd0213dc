"""Another policy in place of Slurm, on the same machine and the same jobs."""

from __future__ import annotations

import numpy as np

from schedlab.policies.find import PolicyLike
from schedlab.sim.simulation import simulate
from schedlab.slurm.replay import TwinReplay, history_of
from schedlab.slurm.site import SlurmSite


def replay_under(site: SlurmSite, policy: PolicyLike) -> TwinReplay:
    """Simulate the history under a policy of schedlab.

    The policy decides at every event: it has none of slurmctld's loops, no fair share and no limits
    of accounts. Partitions, resources, reservations and dependencies count.

    Args:
        site: a site with a history.
        policy: a policy, or its name: ``easy``, ``evolved:slowdown``.
    """
    history = history_of(site)
    done = simulate(history.workload, site.machine, policy)
    started = np.asarray(done.started)
    start_s = np.where(started, done.start_s, np.nan).astype(np.float64)
    end_s = np.where(started, done.end_s, np.nan).astype(np.float64)
    jobs = len(history.workload)
    return TwinReplay(start_s, start_s, end_s, ((),) * jobs, ("",) * jobs)
