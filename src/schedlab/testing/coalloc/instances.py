"""Small named problems."""

from __future__ import annotations

from schedlab.coalloc import CoallocJob, Problem


def figure_1(slots: int = 20) -> Problem:
    """The paper's five jobs of one slot, which need AB, AF, BCD, BDF and CE."""
    needs = ("AB", "AF", "BCD", "BDF", "CE")
    jobs = tuple(
        CoallocJob(f"E{at}", tuple("ABCDEF".index(letter) for letter in need), 1)
        for at, need in enumerate(needs, 1)
    )
    return Problem(tuple("ABCDEF"), jobs, slots)


def one_resource(*lengths: int, slots: int, values: tuple[float, ...] = ()) -> Problem:
    """Jobs of these lengths that all need the same resource."""
    worth = values or (1.0,) * len(lengths)
    pairs = zip(lengths, worth, strict=True)
    jobs = (CoallocJob(f"E{at}", (0,), *pair) for at, pair in enumerate(pairs, 1))
    return Problem(("R",), tuple(jobs), slots)
