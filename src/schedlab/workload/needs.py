"""What a job needs of each cluster, where jobs name the clusters they run on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from schedlab.workload.counts import parse_counts
from schedlab.workload.workload import Workload

Needs = Mapping[str, int]
"""Nodes by cluster; the job has them all from its start to its end."""


def parse_needs(text: str) -> dict[str, int]:
    """Return the needs written as ``north:4+south:2``."""
    allowed = "clusters with their nodes, such as north:4+south:2"
    return parse_counts(text, "needs", "cluster", allowed)


def needs_text(needs: Needs) -> str:
    """Return the inverse of ``parse_needs``."""
    return "+".join(f"{cluster}:{nodes}" for cluster, nodes in needs.items())


def with_needs(workload: Workload, needs: Sequence[Needs]) -> Workload:
    """Return the same jobs, each needing nodes of these clusters; ``nodes`` becomes their sum."""
    texts = [needs_text(each) for each in needs]
    codes = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    columns = {name: workload[name] for name in workload.columns}
    columns["nodes"] = np.array([sum(each.values()) for each in needs], dtype=np.int64)
    columns["needs"] = np.array([codes[text] for text in texts], dtype=np.int64)
    return Workload(
        columns,
        name=workload.name,
        header=workload.header,
        labels={**workload.labels, "needs": tuple(codes)},
        report=workload.report,
        provenance=workload.provenance,
    )
