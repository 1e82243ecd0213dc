"""Any platform survives its file."""

from __future__ import annotations

import json
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    Drain,
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

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(str.strip)
words = st.text(ascii_lowercase, min_size=1, max_size=4)
counts = st.dictionaries(words, st.integers(0, 9), max_size=2)
powers = st.tuples(*[st.floats(0, 1e6)] * 3).map(sorted).map(lambda w: NodePower(w[1], w[2], w[0]))
maybe = st.none() | st.integers(1, 1 << 50)
node_types = st.builds(
    NodeType,
    name=names,
    cores=st.none() | st.integers(1, 256),
    memory_bytes=maybe,
    gpus=counts,
    gpu_memory_bytes=maybe,
    resources=counts.map(lambda each: {f"x{name}": count for name, count in each.items()}),
    features=st.lists(words, max_size=2).map(tuple),
    power=powers,
    peak_flop_per_s=st.none() | st.floats(1, 1e18),
)


@st.composite
def groups(draw: st.DrawFn, at: int) -> NodeGroup:
    """Return nodes given by number or by name."""
    named = draw(st.booleans())
    return NodeGroup(
        draw(node_types),
        None if named else draw(st.integers(1, 99) | st.just(1 << 20)),
        f"h{at}-[1-{draw(st.integers(1, 99))}]" if named else "",
        tuple(draw(st.lists(words, max_size=2))),
        draw(st.integers(0, 9)),
        draw(words),
    )


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """Return groups of nodes, with partitions and intervals on them."""
    nodes = tuple(draw(groups(at)) for at in range(draw(st.integers(1, 3))))
    some = st.sampled_from(["", "0", *(group.names()[-1] for group in nodes if group.hosts)])
    begin, end = st.integers(0, 99), st.none() | st.integers(100, 1 << 40)
    partitions = st.lists(
        st.builds(
            Partition,
            words,
            some,
            default_time_s=st.none() | st.integers(1, 50),
            max_time_s=st.none() | st.integers(50, 1 << 40),
            exclusive=st.booleans(),
            max_nodes=st.none() | st.integers(1, 9),
            memory_per_core_bytes=maybe,
        ),
        max_size=3,
        unique_by=lambda each: each.name,
    )
    return Cluster(
        draw(names),
        nodes,
        draw(names),
        tuple(draw(partitions)),
        tuple(draw(st.lists(st.builds(Outage, begin, end, some, words), max_size=2))),
        tuple(draw(st.lists(st.builds(Drain, begin, end, some, words), max_size=2))),
        tuple(draw(st.lists(st.builds(Reservation, begin, end, some, words), max_size=2))),
    )


consumables = st.builds(
    Consumable,
    words,
    st.integers(0, 99),
    st.lists(st.integers(0, 99), unique=True, max_size=3).map(
        lambda times: tuple(CapacityStep(at, at) for at in sorted(times))
    ),
)
platforms = st.builds(
    Platform,
    st.lists(clusters(), min_size=1, max_size=3, unique_by=lambda c: c.name).map(tuple),
    names,
    st.lists(consumables, max_size=2, unique_by=lambda c: c.name).map(tuple),
)


@given(platform=platforms)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, platform: Platform
) -> None:
    """Any platform, however it is named, survives TOML and JSON."""
    path = tmp_path_factory.mktemp("platform") / "machine.toml"
    write_platform(platform, path)
    assert read_platform(path) == platform
    assert Platform.from_dict(json.loads(json.dumps(platform.to_dict()))) == platform
