"""Agents as actors of Ray: the same answer, also when one is killed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from schedlab.coalloc import Limits, Objective, generate_problem, solve
from schedlab.coalloc.agents import Coordinator, Distributed, choose_transport, job_owners
from schedlab.coalloc.dpop import Dpop
from schedlab.errors import ParameterError

ray: Any = pytest.importorskip("ray", reason="Ray is not installed")

from schedlab.coalloc.agents.ray_actors import RayActors  # noqa: E402 - needs Ray

pytestmark = pytest.mark.xdist_group("ray")  # one Ray at a time: it starts many processes

TWENTY = generate_problem(20, kind="one-or-two", slots=7, seed=1)


@pytest.fixture
def joined() -> Iterator[None]:
    """A Ray on this machine."""
    # Not a folder of pytest's: the paths of sockets must be short.
    with TemporaryDirectory(prefix="ray-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("HOME", folder)  # where Ray keeps a token
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=1,
            include_dashboard=False,
            object_store_memory=80 * 2**20,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        yield
        ray.shutdown()


@pytest.mark.slow
def test_actors_find_the_same_also_when_one_is_killed(joined: None) -> None:
    """A killed actor is replaced, and the others tell it again what they had told."""
    objective = Objective(("value", "makespan"))
    alone = solve(TWENTY, "dpop", objective)
    actors = Distributed(transport=choose_transport("ray"), agents=3)
    assert solve(TWENTY, actors, objective).starts == alone.starts
    with closing(RayActors()) as transport:
        coordinator = Coordinator(transport, job_owners(TWENTY, 3))
        transport.start([1, 2, 3])
        ray.kill(transport._actors[2])
        found = Dpop(propagate=coordinator).solve(TWENTY, objective, Limits())
        assert found.starts == alone.starts
        assert coordinator.replaced == 1


def test_without_a_connection_there_are_no_actors() -> None:
    """Who wants Ray says which: nothing is started behind anybody's back."""
    with pytest.raises(ParameterError, match="not connected to Ray"):
        solve(TWENTY, Distributed(transport=choose_transport("ray")))
