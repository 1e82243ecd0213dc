"""An order of your own, with any way of backfilling: score the queue, smaller first."""

from numpy.typing import ArrayLike

from schedlab import Order, simulate
from schedlab.metrics import find_metric
from schedlab.policies import Queue
from schedlab.workload import apply, generate


class HighestResponseRatio(Order):
    """Starts first the job that has waited longest for its request (Brinch Hansen, 1971)."""

    def score(self, queue: Queue) -> ArrayLike:
        """Return one number per waiting job, smaller first."""
        return -(queue.wait_s + queue.request_s) / queue.request_s


def main() -> None:
    """Compare the order with first come, first served, both without and with backfilling."""
    jobs = generate("lublin:nodes=256", 2000, seed=1)
    jobs = apply(jobs, ["set_request=random:0.5", "load=0.9:256"], seed=1)
    mine = "my_order:HighestResponseRatio"
    for policy in ("fcfs", mine, "easy", f"{mine}+easy", f"{mine}+conservative"):
        schedule = simulate(jobs, 256, policy)
        slowdown = find_metric("bounded_slowdown").value(schedule)
        print(f"{policy:44} mean bounded slowdown {slowdown:7.1f}")


if __name__ == "__main__":
    main()
