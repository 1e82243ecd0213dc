"""Platforms from TOML files and back."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError, OutputError, SchedlabError
from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    NodeGroup,
    NodePower,
    NodeType,
    Outage,
    Partition,
    Platform,
    Reservation,
    read_platform,
    write_platform,
)
from schedlab.platform.keys import key_of

MACHINE = """
name = "grid"

[[node_type]]
name = "thin"
cores = 64
memory = "256GiB"
features = ["cascade"]
power = { idle_w = 90, busy_w = 350.5, off_w = 6 }

[[cluster]]
name = "hpc"
site = "north"

[[cluster.nodes]]
type = "thin"
hosts = "n[001-128]"
more_features = ["ib"]
weight = 10
switch = "leaf1"

[[cluster.nodes]]
name = "gpu"
hosts = "g[1-4]"
cores = 48
memory = "512GiB"
gpus = { a100 = 4 }
gpu_memory = "40GiB"
resources = { nvme = 2 }

[[cluster.partition]]
name = "general"
default = true
default_time = "24h"
max_time = "72h"
memory_per_core = "2800MiB"

[[cluster.partition]]
name = "debug"
nodes = "gpu,n[127-128]"
max_time = "1h"
priority_tier = 7
max_nodes = 2

[[cluster.outage]]
nodes = "g4"
begin = "36h"
end = "2d"

[[cluster.reservation]]
name = "course"
nodes = "n[001-010]"
begin = 86400
end = 90000
accounts = ["teaching"]

[[cluster]]
name = "old"
site = "south"

[[cluster.nodes]]
count = 8

[[consumable]]
name = "matlab"
capacity = 20

[[consumable.step]]
at = "8h"
capacity = 10
"""


def written(folder: Path, text: str) -> Path:
    """Write a platform file with this text, and return its path."""
    path = folder / "machine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_page_has_every_key() -> None:
    """Every key that the file may have is on its page."""
    page = (Path(__file__).parents[2] / "docs" / "formats" / "platform-toml.md").read_text()
    for section in (NodeType, NodeGroup, Partition, Reservation, Consumable, CapacityStep):
        for field in fields(section):
            if field.name != "steps":
                assert f"`{key_of(field.name)}`" in page, field.name


def test_a_number_of_nodes_is_enough(tmp_path: Path) -> None:
    """The simplest description is one number; the file's name serves as the platform's."""
    platform = read_platform(written(tmp_path, "[[cluster]]\n[[cluster.nodes]]\ncount = 256\n"))
    assert platform == Platform((Cluster.homogeneous(256),), name="machine")


def test_everything_that_a_machine_has(tmp_path: Path) -> None:
    """It has types of nodes, groups, partitions, outages, reservations and licences."""
    platform = read_platform(written(tmp_path, MACHINE))
    hpc, old = platform.clusters
    thin, gpu = hpc.groups
    assert (hpc.name, hpc.site, hpc.nodes, thin.nodes) == ("hpc", "north", 132, 128)
    assert thin.type.power == NodePower(idle_w=90, busy_w=350.5, off_w=6)
    assert thin.all_features() == {"cascade", "ib"}
    assert (thin.weight, thin.switch) == (10, "leaf1")
    assert (gpu.type.memory_bytes, gpu.type.gpu_memory_bytes) == (512 << 30, 40 << 30)
    assert (gpu.type.gpus, gpu.type.resources) == ({"a100": 4}, {"nvme": 2})
    assert hpc.partitions[0].memory_per_core_bytes == 2800 << 20
    assert hpc.partitions[1] == Partition("debug", "gpu,n[127-128]", None, 3600, 7, max_nodes=2)
    assert hpc.outages == (Outage(129600, 172800, "g4"),)
    assert hpc.reservations == (
        Reservation(86400, 90000, "n[001-010]", "course", accounts=("teaching",)),
    )
    assert old == Cluster.homogeneous(8, "old", site="south")
    assert platform.consumables == (Consumable("matlab", 20, (CapacityStep(28800, 10),)),)


def test_nodes_are_numbered_through_groups_and_go_by_their_names(tmp_path: Path) -> None:
    """A list of nodes may give hosts, types and numbers; a node without a name has its number."""
    platform = read_platform(written(tmp_path, MACHINE))
    names, nodes = platform.node_names(), platform.clusters[0].node_names
    assert (names[0], names[127:129], names[132:134]) == ("n001", ["n128", "g1"], ["132", "133"])
    assert nodes.numbers("gpu,n[127-128]").tolist() == [126, 127, 128, 129, 130, 131]
    assert nodes.numbers("[3-4],n002").tolist() == [1, 3, 4]
    assert len(nodes.numbers("")) == 132
    assert platform.first_nodes() == [0, 132]


def test_intervals_have_the_numbers_of_their_nodes(tmp_path: Path) -> None:
    """A simulation reads numbers of nodes, not their names."""
    platform = read_platform(
        written(
            tmp_path,
            MACHINE.replace(
                'site = "south"',
                """site = "south"
[[cluster.drain]]
begin = 5
""",
            ),
        )
    )
    outage, reservation, drain = platform.intervals()
    assert (outage[0].name, outage[1].tolist()) == ("", [131])
    assert (reservation[0].name, reservation[1].tolist()) == ("course", list(range(10)))
    assert (drain[0].begin_s, drain[1].tolist()) == (5, list(range(132, 140)))


def test_a_site_file_is_a_platform(tmp_path: Path) -> None:
    """Its other sections do not describe machines; the platform has the site's name."""
    site = '[site]\nname = "hall"\n[[job_source]]\nkind = "slurm-sacct"\n'
    nodes = '[[cluster]]\nname = "big"\n[[cluster.nodes]]\nhosts = "n[1-4]"\ncores = 8\n'
    platform = read_platform(written(tmp_path, site + nodes))
    assert (platform.name, platform.nodes, platform.clusters[0].site) == ("hall", 4, "hall")
    with pytest.raises(InputError, match='unknown key or section of the platform "job_source"'):
        read_platform(written(tmp_path, nodes + '[[job_source]]\nkind = "slurm-sacct"\n'))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name = "grid"', 'name = "grid', r"machine\.toml:2: not TOML"),
        ("[[node_type]]", "[[nodetype]]", 'unknown .* "nodetype"; did you mean "node_type"'),
        ("[[cluster.partition]]", "[[cluster.partitoin]]", 'did you mean "partition"'),
        ("cores = 64", "core = 64", r'key or section of \[\[node_type\]\] "core"; did you mean'),
        ("count = 8", "cuont = 8", r'\[\[cluster.nodes\]\] "cuont"; did you mean "count"'),
        ("idle_w = 90", "idle = 90", 'did you mean "idle_w"'),
        ("idle_w = 90", "idle_w = 900", "must not fall"),
        ("idle_w = 90", "idle_w = nan", "idle_w is nan"),
        ("power = { idle_w = 90, busy_w = 350.5, off_w = 6 }", "power = 3", "power is 3; must be"),
        ("cores = 64", "cores = 0", r'\[\[node_type\]\] "thin": cores is 0; must be .* >= 1'),
        ("cores = 64", "cores = 2.5", "cores is 2.5; must be a whole number"),
        ("cores = 64", "cores_per_processor = 32", "unknown key cores_per_processor; write cores"),
        ('"256GiB"', '"256 bananas"', 'memory: "256 bananas" is not an amount of memory'),
        ('"256GiB"', "256", 'memory is 256; must look like "64GiB"'),
        ('type = "thin"', 'type = "thick"', r'n\[001-128\]: unknown node type "thick"; did you'),
        ('type = "thin"', 'type = "thin"\ncores = 3', "says type and cores; write cores into"),
        ("count = 8", "", r'"old": \[\[cluster.nodes\]\] must say either count or hosts'),
        ("count = 8", 'count = 8\nhosts = "o1"', "must say either count or hosts"),
        ("count = 8", "count = 0", "count is 0; must be a whole number >= 1"),
        ("count = 8", "count = 99999999", "99,999,999 nodes; at most 16,777,216"),
        ('"g[1-4]"', '"g[1-"', "host list"),
        ('"g[1-4]"', '"n[120-130]"', '"hpc": two nodes named "n120"'),
        ('"g[1-4]"', '"g1,g1"', 'two hosts "g1"'),
        ('["cascade"]', '["a&b"]', "feature 'a&b'; must be a word without blanks"),
        ("a100 = 4", "a100 = -4", "gpus is .*; must be a table of whole numbers >= 0"),
        ("nvme = 2", '"nv:me" = 2', "a name in resources is 'nv:me'; must have none of : "),
        ("nvme = 2", "memory = 2", "memory is not a name for another resource"),
        ('"gpu,n[127-128]"', '"gpu,n200"', 'partition "debug": unknown node "n200"; did you mean'),
        ('"gpu,n[127-128]"', '"132"', 'unknown node "132"; .* a number from 0 to 131'),
        ('name = "debug"', 'name = "general"', 'two partitions named "general"'),
        ('name = "debug"', 'name = "debug"\ndefault = true', "are both the default"),
        ("max_nodes = 2", "max_nodes = 2\nmin_nodes = 3", "min_nodes is 3; must be at most max_n"),
        ('"24h"', '"96h"', "default_time_s is 345600; must be at most max_time_s, 259200"),
        ('"72h"', '"soon"', '"general": max_time: "soon" is not a duration'),
        ('end = "2d"', 'end = "35h"', "end_s is 126000; must be after begin_s, 129600"),
        ('begin = "36h"', "", r"\[\[cluster.outage\]\] lacks the key begin"),
        ('nodes = "g4"', 'nodes = "x4"', 'outage "": unknown node "x4"; did you mean'),
        ("capacity = 20", "capacity = -1", '"matlab": capacity is -1; must be a whole number'),
        ("capacity = 10", "capacity = -1", r"\[\[step\]\]: capacity is -1; must be a whole"),
        ("capacity = 20", "", r'\[\[consumable\]\] "matlab" lacks the key capacity'),
        ('name = "old"', "name = 7", "name is 7; must be a text"),
        ('name = "old"\nsite = "south"', 'name = "hpc"\nsite = "north"', "two clusters named"),
    ],
)
def test_mistakes_are_told_with_the_file(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Slips in keys, sections and values must not pass silently."""
    assert old in MACHINE
    with pytest.raises(InputError, match=reason) as caught:
        read_platform(written(tmp_path, MACHINE.replace(old, new, 1)))
    assert str(caught.value).startswith(str(tmp_path / "machine.toml"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = 'x'\n", "has no cluster"),
        ("[[cluster]]\nname = 'x'\n", 'cluster "x" has no nodes'),
        ("[cluster]\nnodes = 2\n", r"write \[\[cluster\]\] with double brackets"),
        ("[[cluster]]\nnodes = 2\n", r"write \[\[cluster.nodes\]\] with count = 2"),
        ("[[cluster]]\n[cluster.nodes]\ncount = 2\n", r"write \[\[cluster.nodes\]\] with double"),
        ("[[site]]\nname = 'x'\n", "unknown key or section of the platform"),
        (
            "[[consumable]]\nname='w'\ncapacity=1\nstep=[{at=9,capacity=1},{at=5,capacity=2}]",
            "step at 5 s after",
        ),
    ],
)
def test_files_that_are_no_platform(tmp_path: Path, text: str, reason: str) -> None:
    """The error says what is missing or wrong."""
    with pytest.raises(InputError, match=reason):
        read_platform(written(tmp_path, text))


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values of a document, sections among them."""
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    found = []
    for key, value in inner:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


DOCUMENT = tomllib.loads(MACHINE)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)


@given(place=st.sampled_from(places(DOCUMENT)), value=ANYTHING)
def test_whatever_stands_there_is_a_platform_or_a_sentence(
    place: tuple[Any, ...], value: Any
) -> None:
    """A wrong type in any place never causes an error that is not schedlab's own."""
    document = json.loads(json.dumps(DOCUMENT))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with suppress(SchedlabError):
        assert Platform.from_dict(document).nodes > 0


def test_unreadable_files_are_told(tmp_path: Path) -> None:
    """The file is missing, a directory, or empty."""
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


def test_cores_for_themselves_keep_their_partitions(tmp_path: Path) -> None:
    """Every core is a node; partitions have the cores of their nodes, with a share of the power."""
    cores = read_platform(written(tmp_path, MACHINE)).of_cores()
    hpc = cores.clusters[0]
    assert cores.nodes == 128 * 64 + 4 * 48 + 8
    assert len(hpc.node_names.numbers(hpc.partitions[1].nodes)) == 2 * 64 + 4 * 48
    assert hpc.groups[0].type.power.idle_w == 90 / 64
