"""Check that an installed wheel works with its dependencies alone. Not collected by pytest."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import schedlab
from schedlab import compare, generate, read_workload, simulate
from schedlab.errors import MissingExtraError
from schedlab.viz import draw_gantt

assert "site-packages" in schedlab.__file__, f"not the installed package: {schedlab.__file__}"

jobs = generate("lublin:nodes=64", 200, seed=1)
schedules = [simulate(jobs, 64, policy) for policy in ("fcfs", "easy", "conservative")]
wait_s = compare(schedules, ["wait"])["wait"].to_list()
assert wait_s[1] < wait_s[0], wait_s

assert find_spec("matplotlib") is None, "the environment has more than the wheel depends on"
try:
    draw_gantt(schedules)
    told = "a picture without Matplotlib"
except MissingExtraError as error:
    told = str(error)
assert "pip install" in told, told

with TemporaryDirectory() as folder:
    trace = Path(folder) / "jobs.swf"
    program = [sys.executable, "-I", "-m", "schedlab"]
    for command in (
        "--version",
        f"workload generate lublin --set nodes=64 --jobs 200 --out {trace}",
        f"simulate {trace} --nodes 64 --policy easy --policy sjf+easy",
        "experiment list",
    ):
        done = subprocess.run(
            [*program, *command.split()], check=True, stdout=subprocess.PIPE, cwd=folder
        )
        assert done.stdout, command
    assert len(read_workload(trace)) == 200
print(f"schedlab {schedlab.__version__} works: {schedlab.__file__}")
