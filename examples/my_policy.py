"""EASY and conservative backfilling as policies of your own, equal to the built-in ones."""

from schedlab import Policy, simulate
from schedlab.policies import View
from schedlab.workload import apply, generate


class Easy(Policy):
    """Starts jobs in order; the first that does not fit gets a reservation, others go around."""

    def schedule(self, view: View) -> None:
        """Decide one pass."""
        waiting = iter(view.queue.job.tolist())
        for job in waiting:
            if not view.fits(job):
                view.reserve(job)
                break
            view.start(job)
        for job in waiting:
            if view.can_start(job):
                view.start(job)


class Conservative(Policy):
    """Replan every job in queue order; start those planned for now."""

    def schedule(self, view: View) -> None:
        """Decide one pass."""
        for job in view.queue.job.tolist():
            if view.reserve(job) == view.now:
                view.start(job)


jobs = generate("lublin:nodes=256", 2000, seed=1)
jobs = apply(jobs, ["set_request=random:0.5", "load=0.9:256"], seed=1)
for mine, built_in in ((Easy, "easy"), (Conservative, "conservative:rebuild=true")):
    same = simulate(jobs, 256, mine).start_s == simulate(jobs, 256, built_in).start_s
    print(f"{mine.__name__}: {same.sum():,} of {len(jobs):,} starts as under {built_in}")
