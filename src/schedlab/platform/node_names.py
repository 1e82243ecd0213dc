"""The nodes of a cluster that a text names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import PlatformError
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.platform.node_group import NodeGroup

NodeNumbers = NDArray[np.int64]
"""Numbers of nodes, rising."""


class NodeNames:
    """Names and numbers of the nodes of a cluster; numbers run through its groups in order."""

    def __init__(self, groups: Sequence[NodeGroup]) -> None:
        self._groups = groups

    @cached_property
    def _first(self) -> list[int]:
        """The number of the first node of each group, and the number of all nodes."""
        return [0, *np.cumsum([group.nodes for group in self._groups], dtype=np.int64).tolist()]

    @cached_property
    def by_host(self) -> dict[str, int]:
        """The number of each node that has a name."""
        return {
            host: number
            for first, group in zip(self._first, self._groups, strict=False)
            for number, host in enumerate(group.names(), first)
        }

    def numbers(self, text: str) -> NodeNumbers:
        """Return the nodes in a host list of hosts, node types and numbers; all if it is empty."""
        if not text:
            return np.arange(self._first[-1])
        found: set[int] = set()
        for word in expand_hosts(text):
            found.update(self._numbers_of(word))
        return np.array(sorted(found), dtype=np.int64)

    def _numbers_of(self, word: str) -> Iterable[int]:
        typed = [place for place, each in enumerate(self._groups) if each.type.name == word]
        if word in self.by_host:
            if typed:
                raise PlatformError(f'"{word}" is a host and a node type; give them other names')
            return [self.by_host[word]]
        if typed:
            spans = [range(self._first[place], self._first[place + 1]) for place in typed]
            return [number for span in spans for number in span]
        if word.isdecimal() and word.isascii() and int(word) < self._first[-1]:
            return [int(word)]
        known = [*self.by_host, *dict.fromkeys(group.type.name for group in self._groups)]
        raise _unknown(word, known, self._first[-1])


def _unknown(word: str, known: list[str], nodes: int) -> PlatformError:
    near = [] if word.isdecimal() else get_close_matches(word, known, n=1, cutoff=0.5)
    numbers = f"a number from 0 to {nodes - 1}" if nodes else "nothing: the cluster has no nodes"
    allowed = f'did you mean "{near[0]}"?' if near else f"must be {fold_hosts(known)} or {numbers}"
    return PlatformError(f'unknown node "{word}"; {allowed}')


def numbers_text(numbers: Iterable[int]) -> str:
    """Return the numbers as a host list: ``[0-3,7]``."""
    return fold_hosts(map(str, numbers))
