"""A workload is made in steps, remembers them, and takes them along into its file."""

import tempfile
from pathlib import Path

from schedlab.workload import apply, generate, read_workload, write_workload

jobs = generate("wl1", 2000, seed=7)
shaped = apply(jobs, ["head=1000", "set_run=random:0.5", "load=0.95:256"], seed=7)
print(f"{shaped!r}, offered load {shaped.offered_load(256):.2f} on 256 nodes")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "wl1-random.parquet"
    write_workload(shaped, path)
    again = read_workload(path)

print("the same jobs:", again == shaped)
for step in again.provenance:
    print(" ", step["step"] + (f" with seed {step['seed']}" if "seed" in step else ""))
