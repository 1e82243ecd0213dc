"""Networks that order the queue: what their files mean, and that the core follows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import _core, simulate
from schedlab.errors import InputError
from schedlab.platform import Platform
from schedlab.policies import find_policy
from schedlab.policies.evolved import evolved_policy, read_evolved, read_priority
from schedlab.policies.network import (
    INPUTS,
    JOB_INPUTS,
    QUEUE_INPUTS,
    HiddenUnit,
    Network,
    NetworkPolicy,
    write_network,
)
from schedlab.testing import check_policy
from schedlab.testing.instances import crowd
from schedlab.testing.reference.easy import Easy
from schedlab.testing.reference.given import jobs_of, machine_of
from schedlab.testing.reference.network import NetworkSimulation
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload

NODES = 16


def drawn_network(seed: int, units: int = 3) -> Network:
    """Return a network with random weights."""
    random = np.random.default_rng(seed)

    def weights(names: tuple[str, ...]) -> dict[str, float]:
        return dict(zip(names, random.normal(size=len(names)).round(3).tolist(), strict=True))

    hidden = [
        HiddenUnit(round(random.normal(), 3), round(random.normal(), 3), weights(INPUTS))
        for _ in range(units)
    ]
    return Network("drawn", weights(tuple(JOB_INPUTS)), hidden, {"seed": seed})


def reference_starts(network: Network, workload: Workload) -> list[int]:
    """Return when jobs start in the plain simulation."""
    platform = Platform.homogeneous(NODES)
    jobs = jobs_of(workload, platform)
    machine = machine_of(workload, platform, 0, True, "lowest", apart=False)
    simulation = NetworkSimulation(network, jobs, machine, 0.3, PREDICTORS["request"]())
    simulation.run(simulation.score, Easy(), None)
    return [job.start_s for job in jobs]


def test_the_inputs_are_those_of_the_core() -> None:
    """Weights are passed to the core in this order."""
    assert list(JOB_INPUTS) == _core.network_job_inputs()
    assert list(QUEUE_INPUTS) == _core.network_queue_inputs()


def test_the_guide_has_the_inputs() -> None:
    """The guide shows each input with its expression."""
    page = Path(__file__).parents[2] / "docs" / "learn" / "evolve.md"
    text = page.read_text(encoding="utf-8")
    for inputs, what in ((JOB_INPUTS, "job"), (QUEUE_INPUTS, "queue")):
        assert all(f"| `{name}` | {each} | the {what} |" in text for name, each in inputs.items())


@given(workload=workloads(NODES, 15), seed=st.integers(0, 1000))
def test_the_core_agrees_with_the_reference(workload: Workload, seed: int) -> None:
    """Every start is the same, whatever the weights."""
    network = drawn_network(seed)
    native = simulate(workload, NODES, NetworkPolicy(network))
    assert native.start_s.tolist() == reference_starts(network, workload)


def test_the_core_agrees_with_the_reference_over_days() -> None:
    """Jobs wait for longer than two hours, after which past jobs are consulted again."""
    workload = crowd(count=150)
    workload = workload.replace(
        **{name: workload[name] * 60 for name in ("submit_s", "request_s", "run_s")}
    )
    network = drawn_network(1)
    native = simulate(workload, NODES, NetworkPolicy(network))
    assert native.wait_s.max() > 3 * 7200
    assert native.start_s.tolist() == reference_starts(network, workload)


def test_a_network_without_units_is_a_linear_order() -> None:
    """Small jobs first, by request, is SAF."""
    network = Network("saf", {"log_request": 1.0, "log_share": 1.0}, [])
    by_network = simulate(crowd(), NODES, NetworkPolicy(network))
    assert np.array_equal(by_network.start_s, simulate(crowd(), NODES, "saf+easy").start_s)


def test_a_network_is_a_policy_like_others() -> None:
    """It can be forked, and forgets what it learnt from an earlier simulation."""
    check_policy(NetworkPolicy(drawn_network(2)))


def test_a_file_gives_the_network_back(tmp_path: Path) -> None:
    """It is run by ``evolved:FILE``, as other evolved policies are."""
    path, network = tmp_path / "network.toml", drawn_network(3)
    write_network(path, network)
    assert read_evolved(path) == network
    by_file = simulate(crowd(), NODES, f"evolved:{path}")
    assert by_file.policy == f"evolved:{path}"
    assert np.array_equal(by_file.start_s, simulate(crowd(), NODES, NetworkPolicy(network)).start_s)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("unit = 3", "unit is 3; must be sections"),
        ("unit = [4]", "is 4; must be a section of weights"),
        ("[linear]\nfree = 1\n[[unit]]", "free"),
        ("[[unit]]\nlog_nodes = 1", "log_nodes"),
        ("[[unit]]\nout = 'much'", "out is 'much'"),
    ],
)
def test_a_wrong_network_is_told_what_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    """The error says where and what is wrong, and what is allowed."""
    path = tmp_path / "wrong.toml"
    path.write_text(f'name = "wrong"\n{text}\n', encoding="utf-8")
    with pytest.raises(InputError, match=told):
        find_policy(f"evolved:{path}")


def test_a_network_is_no_priority(tmp_path: Path) -> None:
    """Where a priority is needed, the error says that the file is a network."""
    path = tmp_path / "network.toml"
    write_network(path, replace(drawn_network(4), provenance={}))
    with pytest.raises(InputError, match="is a network; a priority has"):
        read_priority(path)
    assert evolved_policy(path, "mine").name == "mine"
