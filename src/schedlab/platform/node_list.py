"""A platform from a table of nodes, as published with some traces."""

from __future__ import annotations

import csv
import io
from itertools import groupby

from schedlab.errors import InputError
from schedlab.platform.cluster import Cluster
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_type import NodeType
from schedlab.platform.platform import Platform
from schedlab.workload.readers.source import Source

FIRST = b"sn,cpu_milli,memory_mib,gpu,model"

Row = tuple[int, int, int, str]
"""Cores, MiB, GPUs and their model."""


def read_node_list(source: Source) -> Platform:
    """Return the nodes of Alibaba's GPU cluster trace of 2023 (``openb_node_list_*.csv``).

    A core is a thousandth of one of theirs. The model of a node's GPUs is a feature of the node.
    """
    rows = csv.DictReader(io.StringIO(source.decoded()))
    try:
        nodes = [(row["sn"] or "", _row(source, line, row)) for line, row in enumerate(rows, 2)]
    except csv.Error as error:
        raise InputError.at(source.path, rows.line_num, str(error)) from None
    if not nodes:
        raise InputError(f"{source.path}: has no node")
    groups = [
        NodeGroup(_type(has), hosts=",".join(name for name, _ in same))
        for has, same in groupby(nodes, key=lambda node: node[1])
    ]
    return Platform((Cluster("openb", tuple(groups)),), name=source.stem)


def _row(source: Source, line: int, row: dict[str, str | None]) -> Row:
    try:
        cores, memory, gpus = (int(row[name] or "") for name in ("cpu_milli", "memory_mib", "gpu"))
    except ValueError:
        reason = "cpu_milli, memory_mib and gpu must be whole numbers"
        raise InputError.at(source.path, line, reason) from None
    if cores < 1 or memory < 1 or gpus < 0:
        reason = f"{cores} cpu_milli, {memory} memory_mib, {gpus} gpu; must be >= 1, >= 1, >= 0"
        raise InputError.at(source.path, line, reason)
    return cores, memory, gpus, row["model"] or ""


def _type(has: Row) -> NodeType:
    cores, memory, gpus, model = has
    return NodeType(
        model or "cpu",
        cores=cores,
        memory_bytes=memory << 20,
        gpus={"gpu": gpus} if gpus else {},
        features=(model,) if model else (),
    )
