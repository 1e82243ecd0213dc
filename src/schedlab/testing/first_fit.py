"""First fit: an example of a policy, and what the paper's environment is compared with."""

from __future__ import annotations

from schedlab.policies import Policy, View


class FirstFit(Policy):
    """Starts every waiting job that fits, in order of arrival, without reservations."""

    def schedule(self, view: View) -> None:
        """Go through the queue once."""
        queue = view.queue
        for job, nodes in zip(queue.job.tolist(), queue.nodes.tolist(), strict=True):
            if nodes <= view.free_nodes:
                view.start(job)
