"""What jobs need of each cluster: in text, in files and from the generator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedlab.errors import InputError, ParameterError, WorkloadError
from schedlab.testing.instances import jobs
from schedlab.workload import Workload, generate, read_workload, write_workload
from schedlab.workload.generators import MultiCluster
from schedlab.workload.needs import needs_text, parse_needs, with_needs

NAMES = "job_id,submit_s,nodes,request_s,run_s,needs"


def test_needs_are_written_as_people_say_them() -> None:
    """Nodes follow the cluster, whose name may begin with a site; blanks do not matter."""
    assert parse_needs("north/a:4+b:2") == {"north/a": 4, "b": 2}
    assert parse_needs(" a : 4 + b : 2 ") == {"a": 4, "b": 2}
    assert needs_text({"a": 4, "b": 2}) == "a:4+b:2"


@pytest.mark.parametrize("text", ["", "a", "a:", ":4", "a:0", "a:-1", "a:1.5", "a:4+", "a:4,b:2"])
def test_needs_that_say_nothing(text: str) -> None:
    """The error is one sentence with the value and what is allowed."""
    with pytest.raises(WorkloadError, match=r"must be clusters with their nodes, such as north:4"):
        parse_needs(text)


def test_a_cluster_is_named_once() -> None:
    """Four and two nodes of one cluster could mean six, or either."""
    with pytest.raises(WorkloadError, match='cluster "a" comes twice'):
        parse_needs("a:4+a:2")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_needs_survive_files(tmp_path: Path, suffix: str) -> None:
    """Jobs keep their needs, though the codes may change."""
    workload = with_needs(
        jobs((0, 1, 9, 9), (5, 1, 9, 9), (6, 1, 9, 9)), [{"b": 2}, {"a": 1, "b": 1}, {"b": 2}]
    )
    path = tmp_path / f"jobs.{suffix}"
    assert write_workload(workload, path) == ()
    again = read_workload(path)
    assert again.labelled("needs").tolist() == ["b:2", "a:1+b:1", "b:2"]
    assert again["nodes"].tolist() == [2, 2, 2]


def test_formats_of_others_tell_that_they_lose_them(tmp_path: Path) -> None:
    """SWF has no field for needs."""
    workload = with_needs(jobs((0, 1, 9, 9)), [{"a": 1}])
    assert write_workload(workload, tmp_path / "a.swf") == ("needs",)


def test_a_wrong_need_names_its_line(tmp_path: Path) -> None:
    """An editor can jump there."""
    path = tmp_path / "jobs.csv"
    path.write_text(f"{NAMES}\n1,0,4,9,9,a:4\n2,0,4,9,9,a4\n")
    with pytest.raises(InputError, match=r'jobs\.csv:3: needs is "a4"; must be clusters'):
        read_workload(path)


def drawn(**settings: float) -> Workload:
    """Return a thousand jobs of the generator."""
    return MultiCluster(**settings).generate(1000, seed=3)  # type: ignore[arg-type]


def test_the_generator_gives_the_share_and_the_load() -> None:
    """A third needs two clusters; the load is exact but for whole seconds."""
    workload = drawn(share=1 / 3, load=0.7)
    several = ["+" in text for text in workload.labelled("needs")]
    assert np.mean(several) == pytest.approx(1 / 3, abs=0.05)
    assert workload.offered_load(64) == pytest.approx(0.7, rel=1e-3)


def test_every_drawn_job_can_run() -> None:
    """By default there are four clusters of sixteen nodes."""
    workload = drawn()
    needs = [parse_needs(text) for text in workload.labelled("needs")]
    assert {name for each in needs for name in each} == {"c1", "c2", "c3", "c4"}
    assert {nodes for each in needs for nodes in each.values()} == set(range(1, 17))
    assert [sum(each.values()) for each in needs] == workload["nodes"].tolist()
    assert np.all(workload["run_s"] <= workload["request_s"])
    assert workload["request_s"].max() <= 4 * 3600


def test_bursts_arrive_in_the_same_second() -> None:
    """A burst has eight jobs on average."""
    assert len(np.unique(drawn(burst=8)["submit_s"])) == pytest.approx(1000 / 8, rel=0.2)
    assert len(np.unique(drawn()["submit_s"])) > 900


def test_the_same_seed_gives_the_same_jobs() -> None:
    """Another seed gives other jobs."""
    assert generate("multi-cluster", 50, seed=1) == generate("multi-cluster", 50, seed=1)
    assert generate("multi-cluster", 50, seed=1) != generate("multi-cluster", 50, seed=2)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"span": 5}, "span is 5; there are 4 clusters"),
        ({"clusters": 0}, "clusters is 0; must be >= 1"),
        ({"nodes": 0}, "nodes is 0; must be >= 1"),
        ({"share": 1.5}, "share is 1.5; must be from 0 to 1"),
        ({"load": 0}, "load is 0; must be above 0"),
        ({"burst": 0.5}, "burst is 0.5; must be >= 1"),
    ],
)
def test_an_impossible_model(settings: dict[str, float], reason: str) -> None:
    """It is refused before any draw."""
    with pytest.raises(ParameterError, match=reason):
        MultiCluster(**settings)  # type: ignore[arg-type]
