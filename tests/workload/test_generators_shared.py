"""Jobs for shared nodes: what they ask for, that they fit, and the load that they offer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedlab.errors import ParameterError
from schedlab.platform import capacity_of, read_platform
from schedlab.platform.demand import demands_of
from schedlab.workload import Workload, apply, generate
from schedlab.workload.generators import Shared
from schedlab.workload.offered import offered_loads

MACHINE = Path(__file__).parents[2] / "examples" / "shared_nodes.toml"


@pytest.fixture(scope="module")
def jobs() -> Workload:
    """The jobs of five days on the usual machine."""
    return generate("shared", 100_000, seed=1)


def test_round_numbers(jobs: Workload) -> None:
    """Cores are powers of two up to a node's, or several whole nodes; GPUs are alike."""
    cores, nodes, gpus = jobs["cores_per_node"], jobs["nodes"], jobs["gpus_per_node"]
    assert set(np.unique(cores)) == {1, 2, 4, 8, 16, 32, 64}
    assert set(np.unique(nodes)) == {1, 2, 4, 8, 16}
    assert set(np.unique(gpus)) == {0, 1, 2, 4}
    wide = nodes > 1
    assert np.all(np.where(gpus > 0, gpus == 4, cores == 64)[wide])
    gib_per_core = jobs["memory_per_node_kb"] / cores / 2**20
    assert set(np.unique(gib_per_core)) == {1, 2, 4, 8, 16}
    assert np.mean(gpus > 0) == pytest.approx(0.1, abs=0.05)


def test_no_job_runs_beyond_its_request(jobs: Workload) -> None:
    """Requests are the limits that users choose; most are far above the run time."""
    assert np.all(jobs["run_s"] <= jobs["request_s"])
    assert jobs["run_s"].min() >= 1
    assert len(np.unique(jobs["request_s"])) == 9
    assert 0.2 < np.mean(jobs["run_s"] / jobs["request_s"]) < 0.5


def test_every_job_fits_the_machine_in_the_examples(jobs: Workload) -> None:
    """The file describes the generator's usual machine, all of whose nodes jobs may share."""
    machine = read_platform(MACHINE)
    demands = demands_of(jobs, machine)
    assert not demands.whole.any()
    assert demands.ignored == ()
    assert capacity_of(machine) == Shared().capacity


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("load", [0.5, 1.2])
def test_the_load_holds(seed: int, load: float) -> None:
    """The most demanded resource has the load, whatever the draw; the others have less."""
    model = Shared(load=load)
    loads = offered_loads(model.generate(5_000, seed), model.capacity)
    assert set(loads) == {"cores", "memory_bytes", "gpus"}
    assert max(loads.values()) == pytest.approx(load, rel=1e-3)


def test_the_transform_sets_another_load(jobs: Workload) -> None:
    """It uses the totals of the machine; the same jobs come closer together."""
    text = "load=1.1:1000,cores=64000,memory=250TiB,gpus=1000"
    denser = apply(jobs, [text])
    assert max(offered_loads(denser, Shared().capacity).values()) == pytest.approx(1.1, rel=1e-3)
    assert np.array_equal(denser["cores_per_node"], jobs["cores_per_node"])


def test_days_are_busier_than_nights_unless_told() -> None:
    """Arrivals follow the daily cycle of Lublin and Feitelson."""
    for text, much in (("shared", True), ("shared:daily_cycle=false", False)):
        hour = generate(text, 100_000, seed=2)["submit_s"] % 86_400 // 3600
        by_day, by_night = np.isin(hour, range(10, 18)), np.isin(hour, range(0, 8))
        assert (by_day.sum() > 2 * by_night.sum()) == much


@pytest.mark.parametrize(
    "text",
    [
        "shared:nodes=1,cores=1,memory_gib=1,gpus=0,users=1",
        "shared:nodes=3,cores=48,gpus=3,gpu_nodes=0.5,gpu_jobs=1",
        "shared:nodes=5,cores=6,memory_gib=7,gpus=8,gpu_nodes=1",
        "shared:gpu_nodes=0",
    ],
)
def test_other_machines(text: str) -> None:
    """No job asks for more nodes, cores, memory or GPUs than there are."""
    made = generate(text, 2_000, seed=1)
    settings = made.provenance[0]
    model = Shared(**{name: settings[name] for name in Shared.__dataclass_fields__})
    assert made["cores_per_node"].max() <= model.cores
    assert made["cores_per_node"].min() >= 1
    assert made["memory_per_node_kb"].max() <= model.memory_gib * 2**20
    with_gpus = made["gpus_per_node"] > 0
    assert made["gpus_per_node"].max() <= model.gpus
    assert with_gpus.any() == (model.nodes_with_gpus > 0)
    assert made["nodes"].max() <= model.nodes
    assert made["nodes"][with_gpus].max(initial=0) <= model.nodes_with_gpus
    assert len(generate(text, 1)) == 1


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"nodes": 0}, "nodes is 0; must be from 1"),
        ({"gpu_nodes": 1.5}, "gpu_nodes is 1.5; must be from 0 to 1"),
        ({"load": 0}, "load is 0; must be above 0"),
        ({"memory_gib": 0}, "memory_gib is 0; must be from 1"),
    ],
)
def test_machines_that_cannot_be(settings: dict[str, float], reason: str) -> None:
    """The error has the value and what is allowed."""
    with pytest.raises(ParameterError, match=reason):
        Shared(**settings)  # type: ignore[arg-type]
