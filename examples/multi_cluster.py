"""Jobs that need nodes of several clusters at once: first come, first served, or agreement."""

import sys

from schedlab import Platform, simulate
from schedlab.metrics import by_cluster, table
from schedlab.platform import Cluster
from schedlab.viz import draw_gantt, save_figure
from schedlab.workload import generate

grid = Platform(tuple(Cluster.homogeneous(16, f"c{number}") for number in range(1, 5)), "grid")
jobs = generate("multi-cluster:share=0.4,burst=1000000", 40, seed=5)
print(f"{len(jobs)} jobs at once; the first three need {', '.join(jobs.labelled('needs')[:3])}")

policies = (
    "conservative",
    "conservative:promises=1",
    "coalloc:solver=restart-greedy,round_s=1,jobs=40",
)
schedules = [simulate(jobs, grid, policy) for policy in policies]
for schedule in schedules:
    print(f"\n{schedule.policy}")
    for needed, count, _, wait_s in table(schedule, "wait", "clusters", percentiles=()).iter_rows():
        print(f"  {count} jobs that need {needed} cluster(s) wait {wait_s / 60:.0f} min")
    used = by_cluster(schedule).select("cluster", "utilisation").iter_rows()
    print("  utilisation " + ", ".join(f"{name} {share:.0%}" for name, share in used))
    late = (schedule.start_s > schedule.first_reserved_s) & (schedule.first_reserved_s >= 0)
    print(f"  {late.sum()} jobs start later than promised")

if len(sys.argv) > 1:
    save_figure(draw_gantt(schedules[::2], colour_by="clusters"), sys.argv[1])
