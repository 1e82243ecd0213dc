"""Ready policies: tuned priorities and a network that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab import simulate
from schedlab.errors import InputError, ParameterError, UnknownNameError
from schedlab.policies import find_policy, ready
from schedlab.policies.evolved import EvolvedPolicy, read_evolved
from schedlab.policies.find import with_file_in
from schedlab.policies.network import Network, NetworkPolicy
from schedlab.policies.ready import READY, READY_PRIORITIES, ready_policy, ready_priority
from schedlab.testing.instances import crowd


@pytest.mark.parametrize("name", READY_PRIORITIES)
def test_a_ready_policy_schedules_by_its_weights(name: str) -> None:
    """It is known by its name alone, and is nothing but the priority in its file."""
    jobs = crowd(count=200)
    by_name = simulate(jobs, 64, f"evolved:{name}")
    by_weights = simulate(jobs, 64, EvolvedPolicy(ready_priority(name)))
    assert by_name.policy == f"evolved:{name}"
    assert (by_name.start_s == by_weights.start_s).all()


def test_the_ready_network_is_the_one_in_its_file() -> None:
    """It is known by its name, and says what it was evolved on."""
    path = Path(ready.__file__).with_name("generalist.toml")
    network = read_evolved(path)
    assert isinstance(network, Network)
    assert {"sources", "left_out", "seed", "generations", "population"} <= set(network.provenance)
    assert network.provenance["left_out"] == ""
    jobs = crowd(count=200)
    by_name = simulate(jobs, 64, "evolved:generalist")
    assert by_name.policy == "evolved:generalist"
    assert (by_name.start_s == simulate(jobs, 64, NetworkPolicy(network)).start_s).all()
    assert set(READY) - set(READY_PRIORITIES) == {"generalist"}
    assert isinstance(ready_policy("generalist"), NetworkPolicy)


@pytest.mark.parametrize("name", READY_PRIORITIES)
def test_a_ready_policy_says_how_it_came_about(name: str) -> None:
    """A user can make it again, and knows its measured results."""
    provenance = ready_priority(name).provenance
    assert {"metrics", "workload", "seed", "generations", "before", "after"} <= set(provenance)


def test_a_misspelt_name_is_told_the_right_one() -> None:
    """The name is not taken for a file that does not exist."""
    with pytest.raises(UnknownNameError, match='unknown ready policy "slowdwon"; did you mean'):
        find_policy("evolved:slowdwon")


def test_a_ready_policy_has_no_chance_in_it() -> None:
    """Actions are drawn from networks only."""
    with pytest.raises(ParameterError, match="decides by itself"):
        find_policy("evolved:slowdown:sample=1")


def test_a_ready_policy_is_no_network() -> None:
    """``learned:`` names files of networks."""
    with pytest.raises(InputError, match="no such file"):
        find_policy("learned:slowdown")


def test_an_experiment_does_not_look_for_its_file() -> None:
    """File names in an experiment are relative to its folder; a ready policy's name is no file."""
    assert with_file_in(Path("there"), "evolved:slowdown") == "evolved:slowdown"
    assert with_file_in(Path("there"), "learned:a.zip") == "learned:there/a.zip"
