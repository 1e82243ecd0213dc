"""The site file that a new site begins with."""

from __future__ import annotations

from pathlib import Path

from schedlab.atomic import atomic_write

TEMPLATE = """\
# A site: its nodes, where its jobs are accounted, and where its sensors are kept.
# Every key is explained in the documentation, under "Job history".

[site]
name = "mysite"
time_zone = "UTC"

[[cluster]]
name = "mycluster"

[[cluster.nodes]]
hosts = "n[001-100]"
cores = 64
memory = "256GiB"
# gpus = { a100 = 4 }

# [sharing]                     # jobs may share nodes: how a node's power is divided among them
# share_by = "cpu"

[[job_source]]
kind = "slurm-sacct"
name = "slurm"
# file = "sacct.txt"            # what sacct printed, instead of asking it
# queue_command = ["squeue"]    # also collect why jobs wait, and held ones

# [[sensor_source]]
# kind = "prometheus"
# name = "prometheus"
# url = "http://localhost:9090"
# presets = ["node-exporter", "ipmi", "dcgm"]

[store]
url = "history.db"              # or postgresql://user@host/database

# [archive]                     # copy timelines into Parquet files before their source forgets
# folder = "archive"

[release]                       # what becomes of names in exports: keep, pseudonym or drop
user = "pseudonym"
group = "pseudonym"
node = "pseudonym"
job_name = "drop"
key = "release.key"
"""


def write_template(path: Path) -> None:
    """Write the template, completely or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(TEMPLATE)
