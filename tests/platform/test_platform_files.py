"""Platforms from TOML files and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError, OutputError
from schedlab.platform import (
    Cluster,
    NodePower,
    Platform,
    Site,
    read_platform,
    write_platform,
)

TWO_SITES = """
name = "grid"

[[site]]
name = "north"

[[site.cluster]]
name = "thin"
nodes = 128
processors_per_node = 2
cores_per_processor = 32
power = { idle_w = 90, busy_w = 350.5, off_w = 6 }

[[site.cluster]]
name = "gpu"
nodes = 16
gpus_per_node = 4

[[site]]
name = "south"

[[site.cluster]]
nodes = 8
"""


def written(folder: Path, text: str) -> Path:
    """A platform file with this text."""
    path = folder / "machine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_one_cluster_is_enough(tmp_path: Path) -> None:
    """The simplest description is one number; the file's name serves as the platform's."""
    platform = read_platform(written(tmp_path, "[cluster]\nnodes = 256\n"))
    assert platform == Platform((Site((Cluster(256),)),), name="machine")


def test_sites_and_clusters(tmp_path: Path) -> None:
    """Sites hold clusters, clusters hold nodes with processors, cores, GPUs and power."""
    platform = read_platform(written(tmp_path, TWO_SITES))
    assert platform.name == "grid"
    assert [site.name for site in platform.sites] == ["north", "south"]
    thin, gpu, small = platform.clusters
    assert (thin.nodes, thin.cores_per_node) == (128, 64)
    assert thin.power == NodePower(idle_w=90, busy_w=350.5, off_w=6)
    assert gpu.gpus_per_node == 4
    assert small == Cluster(8)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[cluster]\nnodes = \n", r"machine\.toml:2: not TOML"),
        ("[cluster]\nnode = 3\n", r'key or section of \[cluster\] "node"; did you mean "nodes"'),
        ("[clutser]\nnodes = 3\n", r'unknown .* "clutser"; did you mean "cluster"'),
        ("[cluster]\nnodes = 3\n[cluster.powr]\nidle_w = 3\n", 'did you mean "power"'),
        ("[cluster]\nnodes = 3\npower = { idle = 3 }\n", 'did you mean "idle_w"'),
        ("[[site]]\nnames = 'x'\n", r'\[\[site\]\] "names"; did you mean "name"'),
        ("[cluster]\nname = 'x'\n", "does not say how many nodes"),
        ("[cluster]\nnodes = 0\n", "nodes is 0; must be an integer >= 1"),
        ("[cluster]\nnodes = 2.5\n", "nodes is 2.5; must be an integer"),
        ("[cluster]\nnodes = 2\nname = 7\n", "name is 7; must be text"),
        ("[cluster]\nnodes = 2\npower = 300\n", "power is 300; must be"),
        ("[cluster]\nnodes = 2\npower = { idle_w = nan }\n", "idle_w is nan"),
        ("[cluster]\nnodes = 2\npower = { idle_w = 9, busy_w = 1 }\n", "must not fall"),
        ("name = 'x'\n", r"either one \[cluster\] or \[\[site\]\]"),
        ("[cluster]\nnodes = 2\n[[site]]\n", r"either one \[cluster\] or \[\[site\]\]"),
        ("[[cluster]]\nnodes = 2\n", r"write several as \[\[site.cluster\]\]"),
        ("[site]\nname = 'x'\n", r"write \[\[site\]\] with double brackets"),
        ("[[site]]\n[site.cluster]\nnodes = 2\n", r"write \[\[site.cluster\]\] with double"),
        ("[[site]]\nname = 'x'\n", "has no cluster"),
        (
            "[[site]]\n[[site.cluster]]\nnodes = 2\n[[site.cluster]]\nnodes = 2\n",
            "two clusters named",
        ),
    ],
)
def test_mistakes_are_told_with_the_file(tmp_path: Path, text: str, reason: str) -> None:
    """Typing mistakes in keys and in sections must not pass silently."""
    with pytest.raises(InputError, match=reason) as caught:
        read_platform(written(tmp_path, text))
    assert "machine.toml" in str(caught.value)


def test_unreadable_files_are_told(tmp_path: Path) -> None:
    """Missing, a directory, empty."""
    with pytest.raises(InputError, match="no such file"):
        read_platform(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="is a directory"):
        read_platform(tmp_path)
    with pytest.raises(InputError, match="is empty"):
        read_platform(written(tmp_path, ""))


def test_an_unwritable_file_is_an_output_error(tmp_path: Path) -> None:
    """The folder does not exist."""
    with pytest.raises(OutputError, match="cannot be written"):
        write_platform(Platform.homogeneous(4), tmp_path / "absent" / "machine.toml")


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
powers = st.tuples(*[st.floats(0, 1e6)] * 3).map(sorted).map(lambda w: NodePower(w[1], w[2], w[0]))
clusters = st.builds(
    Cluster,
    st.integers(1, 1 << 24),
    names,
    st.integers(1, 8),
    st.integers(1, 256),
    st.integers(0, 16),
    powers,
)
sites = st.builds(
    Site, st.lists(clusters, min_size=1, max_size=3, unique_by=lambda c: c.name).map(tuple), names
)
platforms = st.builds(
    Platform, st.lists(sites, min_size=1, max_size=3, unique_by=lambda s: s.name).map(tuple), names
)


@given(platform=platforms)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, platform: Platform
) -> None:
    """Any platform, however it is named, survives the round trip."""
    path = tmp_path_factory.mktemp("platform") / "machine.toml"
    write_platform(platform, path)
    assert read_platform(path) == platform
