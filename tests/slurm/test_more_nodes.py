"""Sites with more nodes."""

from __future__ import annotations

import pytest

from schedlab.errors import ParameterError
from schedlab.platform import Cluster, NodeGroup, NodeType, Partition, Platform
from schedlab.slurm import NodeLayout, SlurmSite, Switch
from schedlab.slurm.more_nodes import with_more_nodes
from schedlab.slurm.plain.nodes import Selector


def site() -> SlurmSite:
    """Return three small nodes and two with GPUs, in two partitions and on two switches."""
    groups = (
        NodeGroup(NodeType("small", 4), hosts="a[1-2]"),
        NodeGroup(NodeType("large", 8, gpus={"v100": 2}, features=("gpu",)), hosts="g[08-09]"),
        NodeGroup(NodeType("small", 4), hosts="z1"),
    )
    partitions = (Partition("all"), Partition("vision", "g[08-09]"), Partition("rest", "a1,z1"))
    return SlurmSite(
        Platform((Cluster("c", groups, partitions=partitions),)),
        nodes=(NodeLayout("a[1-2],z1", 4), NodeLayout("g[08-09]", 8)),
        switches=(Switch("s1", "a[1-2],z1"), Switch("s2", "g[08-09]")),
    )


@pytest.mark.parametrize("like", ["g09", "vision", "gpu", "large"])
def test_more_nodes_are_copies_of_one(like: str) -> None:
    """New nodes continue its names, in its partitions and switch, behind it in Slurm's table."""
    made = with_more_nodes(site(), [f"2:{like}"])
    selector = Selector(made)
    assert [node.name for node in selector.nodes] == [
        *("a1", "a2", "g08", "g09", "g10", "g11", "z1"),
    ]
    assert {node.gpus for node in selector.nodes if node.name.startswith("g")} == {2}
    assert selector.partitions == {
        "all": frozenset(range(7)),
        "vision": frozenset(range(2, 6)),
        "rest": frozenset((0, 6)),
    }
    assert made.switches == (Switch("s1", "a[1-2],z1"), Switch("s2", "g[08-11]"))
    assert made.nodes[1].hosts == "g[08-11]"


@pytest.mark.parametrize("text", ["gpu", "0:gpu", "-1:gpu", "1.5:gpu", "16:", "9999999:gpu"])
def test_what_is_no_number_of_nodes_is_refused(text: str) -> None:
    """The error gives an example of what to write."""
    with pytest.raises(ParameterError, match=r"is not a number of nodes; write 16:gpu, from 1 to"):
        with_more_nodes(site(), [text])


def test_nodes_like_none_are_refused() -> None:
    """The error lists what there is."""
    with pytest.raises(ParameterError, match=r'like "tpu"; .* partition \(all, vision, rest\) or'):
        with_more_nodes(site(), ["2:tpu"])
