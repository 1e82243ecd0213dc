"""What agents learn of each other, counted by hand."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import CoallocJob, Problem, generate_problem, solve
from schedlab.coalloc.agents import Distributed
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.messages import Learnt
from schedlab.coalloc.split import Split
from schedlab.coalloc.wd import WidthDeletion
from schedlab.testing.coalloc.check_solver import figure_1
from schedlab.testing.coalloc.strategies import problems


def chain() -> Problem:
    """Return a chain of three jobs in three slots, with values up to 7.

    E1 shares a resource with E2, and E2 another one with E3.
    """
    jobs = (
        CoallocJob("E1", (0,), 1, 1.0),
        CoallocJob("E2", (0, 1), 1, 7.0),
        CoallocJob("E3", (1,), 1, 2.0),
    )
    return Problem(("A", "B"), jobs, slots=3)


def test_a_chain_by_hand() -> None:
    """E2 is the root: it gets four cells from either side, and tells its start to both.

    A job is two resources, three times of two bits and a value of three bits: 11 bits. A cell is a
    sum from 0 to 10 or impossible, so a message of four cells could tell all 11 bits. Both others
    know E2's times, which are six bits.
    """
    found = solve(chain(), Distributed(Dpop("max-degree"), owners="job"))
    first, middle, last = found.privacy
    assert middle == Learnt(
        2,
        1,
        known=0,
        summed=2,
        unheard=0,
        cells=8,
        values=0,
        bits=22,
        all_bits=22,
        revealed=6,
        own_bits=11,
    )
    assert first == Learnt(
        1,
        1,
        known=1,
        summed=0,
        unheard=1,
        cells=0,
        values=1,
        bits=6,
        all_bits=22,
        revealed=11,
        own_bits=11,
    )
    assert (last.known, last.unheard, last.bits) == (1, 1, 6)
    assert first.share == 6 / 22


def test_figure_1_by_hand() -> None:
    """Under the makespan a cell has 20 levels or none; E4's message of 400 cells sums E2 and E4."""
    found = solve(figure_1(), Distributed(Dpop("max-degree"), owners="job"), "makespan")
    cells = [each.cells for each in found.privacy]
    assert sum(cells) == 840
    assert all(each.all_bits == 4 * (6 + 3 * math.log2(21) + 1) for each in found.privacy)
    assert all(each.known + each.summed + each.unheard == 4 for each in found.privacy)


def test_nobody_else_is_nothing_learnt() -> None:
    """A single agent owns all jobs and learns nothing about others."""
    (alone,) = solve(chain(), Distributed(agents=1)).privacy
    assert (alone.own_jobs, alone.bits, alone.share, alone.revealed) == (3, 0, 0, 0)


def test_one_process_has_no_agents() -> None:
    """A solver without agents has no account of what agents learn."""
    assert solve(chain(), "dpop").privacy == ()


def test_splitting_tells_less_in_messages_and_more_in_starts() -> None:
    """Across half of the edges, agents only tell each other which slots are taken."""
    problem = generate_problem(20, kind="ring", seed=1)
    whole, halves = (
        solve(problem, Distributed(solver, owners="job"), "makespan").privacy
        for solver in (Dpop(), Split())
    )
    assert sum(each.cells for each in halves) < sum(each.cells for each in whole)
    assert sum(each.bits for each in halves) < sum(each.bits for each in whole)
    assert all(each.values for each in halves[10:])


@given(
    problems(max_jobs=6),
    st.sampled_from((Dpop(), WidthDeletion(width=1, rounds=3), Split())),
    st.sampled_from(("cluster", "job")),
)
@settings(max_examples=60, deadline=None)
def test_nobody_learns_more_than_there_is(
    problem: Problem, solver: Dpop | WidthDeletion | Split, owners: str
) -> None:
    """Every other job is known, summed or unheard of, and bits are at most those of the jobs."""
    for each in solve(problem, Distributed(solver, owners=owners)).privacy:
        others = len(problem.jobs) - each.own_jobs
        assert each.known + each.summed + each.unheard == others
        assert each.values <= others
        assert 0 <= each.bits <= each.all_bits
        assert 0 <= each.revealed <= each.own_bits
