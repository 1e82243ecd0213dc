"""Which nodes each job used, as compact ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class NodeRanges:
    """Each job's nodes as ranges ``first..last``; job i has those at ``offset[i]:offset[i+1]``."""

    offset: NDArray[np.int64]
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeRanges):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("offset", "first", "last")
        )

    __hash__ = None  # type: ignore[assignment]

    def of(self, job: int) -> list[tuple[int, int]]:
        """Return the ranges of one job, both ends included."""
        part = slice(self.offset[job], self.offset[job + 1])
        return list(zip(self.first[part].tolist(), self.last[part].tolist(), strict=True))

    def job(self) -> NDArray[np.int64]:
        """Return for each range the position of the job it belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    def joined(self) -> NodeRanges:
        """Return the same nodes, with successive ranges of a job joined if they are adjacent."""
        follows = self.first[1:] == self.last[:-1] + 1
        follows &= self.job()[1:] == self.job()[:-1]
        begins = np.flatnonzero(np.append(True, ~follows)[: len(self.first)])
        ends = np.flatnonzero(np.append(~follows, True)[: len(self.first)])
        return NodeRanges(np.searchsorted(begins, self.offset), self.first[begins], self.last[ends])

    def take(self, which: NDArray[np.bool_]) -> NodeRanges:
        """Return the ranges of these jobs."""
        kept = which[self.job()]
        offset = np.concatenate([[0], np.cumsum(np.diff(self.offset)[which])])
        return NodeRanges(offset, self.first[kept], self.last[kept])

    def reordered(self, order: NDArray[np.int64] | slice) -> NodeRanges:
        """Return the ranges of the jobs at these places, in this order."""
        if isinstance(order, slice):
            order = np.arange(len(self))[order]
        counts = np.diff(self.offset)[order]
        offset = np.concatenate([[0], np.cumsum(counts)])
        source = np.arange(offset[-1]) + np.repeat(self.offset[order] - offset[:-1], counts)
        return NodeRanges(offset, self.first[source], self.last[source])

    def each(self) -> NodeRanges:
        """Return every range by itself, as if it were a job."""
        return NodeRanges(np.arange(len(self.first) + 1), self.first, self.last)

    def width(self) -> NDArray[np.int64]:
        """Return the number of nodes in each range."""
        return self.last.astype(np.int64) - self.first + 1

    def width_within(self, clusters: Sequence[int]) -> list[NDArray[np.int64]]:
        """Return the number of nodes of each cluster in every range.

        Nodes are numbered through the clusters in order.
        """
        return [
            np.maximum(np.minimum(self.last + 1, end) - np.maximum(self.first, begin), 0)
            for begin, end in pairwise(np.cumsum([0, *clusters]))
        ]

    def text(self) -> pl.Series:
        """Return each job's nodes as ``0-3,7``."""
        import polars as pl
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pa.large_string()
        first = pa.array(self.first).cast(text)
        last = pa.array(self.last, mask=self.first == self.last).cast(text)
        words = pc.binary_join_element_wise(first, last, pa.scalar("-", text), null_handling="skip")
        lists = pa.LargeListArray.from_arrays(pa.array(self.offset), words)
        return pl.Series(
            "node_ranges", pc.binary_join(lists, pa.scalar(",", text)), dtype=pl.String
        )

    @classmethod
    def parse(cls, texts: Sequence[str] | pl.Series) -> NodeRanges:
        """Return the ranges that texts such as ``0-3,7`` describe: the inverse of ``text``."""
        import polars as pl

        text = pl.Series(texts, dtype=pl.String).fill_null("")
        counts = (text.str.count_matches(",", literal=True) + 1) * (text != "")
        words = text.filter(text != "").str.split(",").explode()
        ends = words.str.splitn("-", 2).struct.unnest()
        first = ends["field_0"].cast(pl.Int32, strict=False)
        last = ends["field_1"].fill_null(ends["field_0"]).cast(pl.Int32, strict=False)
        wrong = words.filter(~(first <= last).fill_null(False))
        if len(wrong):
            raise WorkloadError(f'"{wrong[0]}" is not a range of nodes; write for example 0-3,7')
        offset = np.concatenate([[0], np.cumsum(counts.to_numpy(), dtype=np.int64)])
        return cls(offset, first.to_numpy(), last.to_numpy())
