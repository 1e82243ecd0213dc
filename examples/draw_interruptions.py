"""Forty jobs on ten nodes that fail, or where short jobs preempt; with a file's name, a picture."""

import sys
from dataclasses import replace

from schedlab import simulate
from schedlab.metrics import find_metric
from schedlab.platform import draw_failures
from schedlab.sim import Preemption
from schedlab.viz import draw_gantt, save_figure
from schedlab.workload import apply, generate

jobs = generate("bernoulli:load=1.0,unit_s=600", 40, seed=5)
jobs = apply(jobs, ["set_request=random:0.7"], seed=5)
failures = draw_failures(10, 24 * 3600, mean_up_s=20 * 3600, mean_repair_s=3600, seed=2)
runs = {
    "nodes fail": simulate(jobs, 10, "easy", failures=failures),
    "preempted and requeued": simulate(jobs, 10, "easy", preemption=Preemption("srpt", "requeue")),
    "preempted and suspended": simulate(jobs, 10, "easy", preemption=Preemption("srpt", "suspend")),
}
for name, schedule in runs.items():
    lost = 100 * find_metric("lost_work").value(schedule)
    interrupted = len(schedule.all_attempts()) - len(jobs)
    print(f"{name:24} {interrupted:3} interruptions, {lost:4.1f} % of the work lost")
for path in sys.argv[1:]:
    named = [replace(schedule, policy=name) for name, schedule in runs.items()]
    save_figure(draw_gantt(named, height_in=1.6), path, dpi=130)
