"""Numbers in sentences."""

from __future__ import annotations


def count_nodes(nodes: int) -> str:
    """Write ``1 node``, ``2 nodes``."""
    return f"{nodes:,} node" if nodes == 1 else f"{nodes:,} nodes"
