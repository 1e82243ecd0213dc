"""The same forty jobs on ten nodes under three policies; with a file's name, a picture of them."""

import sys

from schedlab import simulate
from schedlab.viz import draw_gantt, save_figure
from schedlab.workload import apply, generate

jobs = generate("bernoulli:load=1.0,unit_s=600", 40, seed=5)
jobs = apply(jobs, ["set_request=random:0.7"], seed=5)
schedules = [simulate(jobs, 10, policy) for policy in ("fcfs", "easy", "sjf+easy")]
for schedule in schedules:
    print(f"{schedule.policy:10} mean wait {schedule.wait_s.mean() / 3600:.1f} h")
for path in sys.argv[1:]:
    save_figure(draw_gantt(schedules, height_in=1.4), path, dpi=130)
