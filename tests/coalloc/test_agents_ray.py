"""Agents as Ray actors: the same answer, even when one is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

import pytest

from schedlab.coalloc import generate_problem, solve
from schedlab.coalloc.agents import Distributed, find_transport
from schedlab.errors import ParameterError

pytest.importorskip("ray", reason="Ray is not installed")

TWENTY = generate_problem(20, kind="one-or-two", slots=7, seed=1)


IN_A_PROCESS_OF_ITS_OWN = """
import logging
from contextlib import closing

import ray

from schedlab.coalloc import Limits, Objective, generate_problem, solve
from schedlab.coalloc.agents import Coordinator, Distributed, find_transport, job_owners
from schedlab.coalloc.agents.ray_actors import RayActors
from schedlab.coalloc.dpop import Dpop

problem = generate_problem(20, kind="one-or-two", slots=7, seed=1)
objective = Objective(("value", "makespan"))
ray.init(
    num_cpus=1,
    include_dashboard=False,
    object_store_memory=80 * 2**20,
    log_to_driver=False,
    logging_level=logging.ERROR,
)
alone = solve(problem, "dpop", objective)
actors = Distributed(transport=find_transport("ray"), agents=3)
assert solve(problem, actors, objective).starts == alone.starts
with closing(RayActors()) as transport:
    coordinator = Coordinator(transport, job_owners(problem, 3))
    transport.start([1, 2, 3])
    ray.kill(transport._actors[2])
    found = Dpop(propagate=coordinator).solve(problem, objective, Limits())
assert found.starts == alone.starts
assert coordinator.replaced == 1
ray.shutdown()
print("the same")
"""


@pytest.mark.slow
def test_actors_find_the_same_also_when_one_is_killed() -> None:
    """A killed actor is replaced, and the others send it their messages again."""
    # If this ran in the tests' own process, a cluster that another file starts later would never
    # come up. The folder is not one of pytest's, because the paths of sockets must be short.
    with TemporaryDirectory(prefix="ray-") as folder:
        own = {"RAY_TMPDIR": folder, "HOME": folder, "RAY_USAGE_STATS_ENABLED": "0"}
        done = subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN],
            env=os.environ | own,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.stdout == "the same\n", done.stderr


def test_without_a_connection_there_are_no_actors() -> None:
    """Ray is never started implicitly: the user connects to a cluster first."""
    with pytest.raises(ParameterError, match="not connected to Ray"):
        solve(TWENTY, Distributed(transport=find_transport("ray")))
