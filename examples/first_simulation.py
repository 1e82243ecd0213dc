"""The same jobs under four policies: what a user waits for, and how full the machine is."""

from schedlab import simulate
from schedlab.metrics import compare
from schedlab.workload import apply, generate

jobs = generate("lublin:nodes=256", 5000, seed=1)
jobs = apply(jobs, ["set_request=random:0.5", "load=0.9:256"], seed=1)

policies = ["fcfs", "easy", "sjf+easy", "conservative"]
schedules = [simulate(jobs, 256, policy) for policy in policies]

table = compare(schedules, ["wait", "bounded_slowdown", "utilisation"])
for policy, wait_s, slowdown, used in table.iter_rows():
    print(f"{policy:12}  mean wait {wait_s:7,.0f} s  slowdown {slowdown:6.1f}  used {used:.1%}")
