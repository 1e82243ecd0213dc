"""What if users asked for the run time they need? EASY under better and better requests."""

from schedlab import simulate
from schedlab.metrics import find_metric
from schedlab.workload import apply, generate

jobs = apply(generate("lublin:nodes=256", 5000, seed=1), ["load=0.9:256"])
print("run / request    mean wait    95 % wait at most    mean bounded slowdown")
for accuracy in ("0.1", "0.2", "0.5", "1.0", "random:0.5"):
    schedule = simulate(apply(jobs, [f"set_request={accuracy}"], seed=1), 256, "easy")
    wait_s, most_s, slowdown = (
        find_metric(name).value(schedule)
        for name in ("wait", "wait:percentile=95", "bounded_slowdown")
    )
    print(f"{accuracy:13} {wait_s:10,.0f} s {most_s:18,.0f} s {slowdown:23.1f}")
