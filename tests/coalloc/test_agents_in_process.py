"""Agents within one process: DPOP's answer, its messages to the byte, and the effects of faults."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import Limits, MessageStatistics, Objective, Problem, generate_problem, solve
from schedlab.coalloc.agents import Conditions, Coordinator, Distributed, InProcess, job_owners
from schedlab.coalloc.agents.agent import Agent
from schedlab.coalloc.agents.message import Answer, Lost, Message, Resend, Share, Util, Value
from schedlab.coalloc.agents.owners import adopted
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.node import UtilMessage
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.propagation import messages_of_pass, tree_nodes
from schedlab.coalloc.split import Split
from schedlab.coalloc.utility import sum_utilities
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import AgentLostError, ParameterError, PeerError, UnknownNameError
from schedlab.testing.coalloc.check_solver import figure_1, one_resource
from schedlab.testing.coalloc.strategies import problems

OBJECTIVES = ("value", "makespan", "sum-of-starts", "value,makespan", "makespan,sum-of-starts")
VALUE = Objective(("value",))
TEN = generate_problem(10, kind="ring", resources=5, slots=6, seed=3)


def by_agents(problem: Problem, transport: InProcess, owners: tuple[int, ...]) -> Coordinator:
    """Return a coordinator whose agents are started."""
    transport.start(sorted(set(owners)))
    return Coordinator(transport, owners)


@given(
    problems(max_jobs=6),
    st.sampled_from(OBJECTIVES),
    st.sampled_from((Dpop(), WidthDeletion(width=1, rounds=4), Split())),
    st.integers(1, 4),
    st.sampled_from(("cluster", "job")),
)
@settings(max_examples=80, deadline=None)
def test_agents_find_what_one_process_finds(
    problem: Problem,
    objective: str,
    solver: Dpop | WidthDeletion | Split,
    agents: int,
    owners: str,
) -> None:
    """Starts and statistics do not depend on which agent computes a node."""
    alone = solve(problem, solver, objective)
    together = solve(problem, Distributed(solver, agents=agents, owners=owners), objective)
    assert together.starts == alone.starts
    assert together.ending == alone.ending
    assert together.messages == alone.messages


@given(problems(max_jobs=8), st.sampled_from(("min-fill", "max-degree")))
@settings(max_examples=60, deadline=None)
def test_what_is_sent_is_what_the_tree_says(problem: Problem, heuristic: str) -> None:
    """With one job per agent, the cycles, messages and bytes equal those of the statistics."""
    transport = InProcess()
    coordinator = by_agents(problem, transport, job_owners(problem, by="job"))
    network = ConstraintNetwork.of(problem, may_leave_out=True)
    tree = make_tree(network, heuristic)
    utilities = sum_utilities(network, [job.value for job in problem.jobs], ["value"])
    coordinator(network, tree, utilities, 1)
    said = messages_of_pass(tree, network.sizes, utilities.bytes_per_cell)
    assert transport.clock_s == said.cycles
    assert (transport.messages, transport.bytes) == (said.messages, said.bytes)


def test_messages_of_figure_1() -> None:
    """The paper's five jobs give the counts made by hand; two agents send fewer messages."""
    solver = Dpop("max-degree")
    alone = solve(figure_1(), Distributed(solver, owners="job"), "makespan")
    assert alone.messages == MessageStatistics(6, 8, 840 * 4 + 6 * 4, 400, 1600, 2)
    assert alone.counters["cycles between agents"] == 6
    assert alone.counters["bytes between agents"] == 840 * 4 + 6 * 4
    shared = solve(figure_1(), Distributed(solver, agents=2), "makespan").counters
    assert shared["messages between agents"] < 8


@pytest.mark.parametrize("number", range(1, 19))
def test_a_lost_message_is_asked_for_again(number: int) -> None:
    """Whichever of the 18 messages is lost, one request to repeat is enough for the optimum."""
    transport = InProcess(Conditions(lost=frozenset({number})))
    coordinator = by_agents(TEN, transport, job_owners(TEN, by="job"))
    found = Dpop(propagate=coordinator).solve(TEN, VALUE, Limits())
    assert found.starts == Dpop().solve(TEN, VALUE, Limits()).starts
    assert coordinator.asked_again == 1


def test_where_all_is_lost_the_run_fails_with_a_report() -> None:
    """If no message ever arrives, the run ends after three requests and names the silent agents."""
    lossy = Distributed(transport=lambda: InProcess(Conditions(lost=frozenset(range(1, 10**4)))))
    with pytest.raises(PeerError, match=r"no answer from agents .* messages get lost"):
        solve(TEN, lossy)


@pytest.mark.parametrize("leaves_s", [0.5, 1.5, 2.5, 3.5, 4.5])
@pytest.mark.parametrize("agent", [1, 2, 3])
def test_jobs_of_an_agent_that_leaves(agent: int, leaves_s: float) -> None:
    """If its jobs are adopted, the optimum is still found; if dropped, that of the other jobs."""
    owners = job_owners(TEN, 3)

    def leaving() -> InProcess:
        return InProcess(Conditions(leaves_s={agent: leaves_s}))

    best = solve(TEN, "dpop")
    adopting = solve(TEN, Distributed(transport=leaving, agents=3, if_lost="adopt"))
    assert adopting.starts == best.starts
    dropping = solve(TEN, Distributed(transport=leaving, agents=3, if_lost="drop"))
    left = [place for place, owner in enumerate(owners) if owner != agent]
    if "jobs dropped" in dropping.counters:
        rest = Problem(TEN.resources, tuple(TEN.jobs[place] for place in left), TEN.slots)
        assert dropping.value == solve(rest, "dpop").value
        assert set(range(10)) - set(left) <= set(dropping.unscheduled)
        assert adopting.counters["jobs adopted"] == 10 - len(left)
    else:  # it left when all was done
        assert dropping.starts == best.starts


def test_a_leaving_agent_fails_the_run_unless_told_otherwise() -> None:
    """The error names the agent and how often it was replaced."""
    leaving = Distributed(transport=lambda: InProcess(Conditions(leaves_s={2: 0.5})), agents=3)
    with pytest.raises(AgentLostError, match="agent 2 is lost: it has left, also after 3 repl"):
        solve(TEN, leaving)


class _Unlucky(InProcess):
    """A transport that loses agent 1 four times and counts its starts."""

    losses = 4
    starts = 0

    def start(self, agents: Iterable[int]) -> None:
        agents = list(agents)
        self.starts += 1 in agents
        super().start(agents)

    def receive(self) -> Answer | Lost | None:
        if self.losses:
            self.losses -= 1
            return Lost(1, "bad luck")
        return super().receive()


def test_a_coordinator_goes_on_after_a_failure() -> None:
    """An agent given up in one problem is started again for the next."""
    transport = _Unlucky()
    solver = Dpop(propagate=by_agents(TEN, transport, job_owners(TEN, 3)))
    with pytest.raises(AgentLostError, match="bad luck"):
        solver.solve(TEN, VALUE, Limits())
    assert solver.solve(TEN, VALUE, Limits()).starts == Dpop().solve(TEN, VALUE, Limits()).starts
    assert transport.starts == 5  # at first, three replacements, and now


def test_dropping_is_refused_where_all_jobs_are_wanted() -> None:
    """A makespan without some of the jobs answers another question."""
    with pytest.raises(ParameterError, match="cannot be dropped"):
        solve(figure_1(), Distributed(if_lost="drop"), "makespan")


def test_slow_agents_only_cost_time() -> None:
    """The answer is the same, and the clock shows the longest way through slow agents."""
    slow: list[dict[int, float]] = [{}, {1: 5.0}, {1: 5.0, 2: 5.0}]
    answers = [
        solve(TEN, Distributed(transport=partial(InProcess, Conditions(0.5, each)), agents=3))
        for each in slow
    ]
    assert len({answer.starts for answer in answers}) == 1
    times = [answer.counters["simulated seconds"] for answer in answers]
    assert times == sorted(times)
    assert times[1] >= times[0] + 5


def share_of(problem: Problem, jobs: set[int]) -> Share:
    """Return agent 1's share of the first pass: these jobs. Agent 2 owns all others."""
    network = ConstraintNetwork.of(problem, may_leave_out=True)
    tree = make_tree(network, "max-degree")
    nodes = tree_nodes(network, tree, sum_utilities(network, [1.0] * 5, ["value"]))
    return Share(
        1,
        {job: nodes[job] for job in jobs},
        {job: tree.children[job] for job in jobs},
        {job: 1 if job in jobs else 2 for job in range(5)},
    )


def test_an_agent_keeps_what_comes_before_its_share() -> None:
    """A message from a faster agent counts as soon as the pass begins here."""
    share, leaf = share_of(figure_1(), {0, 2, 3}), share_of(figure_1(), {1, 4})
    told = [message for _, message in Agent(1).receive(leaf)]
    late, early = Agent(1), Agent(1)
    late.receive(share)
    expected = [each for message in told for each in late.receive(message)]
    for message in told:
        assert early.receive(message) == []
    assert [to for to, _ in early.receive(share)] == [to for to, _ in expected]


def test_the_same_message_twice_changes_nothing() -> None:
    """A message that may have been lost is sent again.

    An agent ignores repeated messages, and repeats its own only on request.
    """
    agent, leaf = Agent(1), share_of(figure_1(), {1, 4})
    agent.receive(share_of(figure_1(), {0, 2, 3}))
    said: list[Message] = []
    for _, message in Agent(1).receive(leaf):
        said += [each for _, each in agent.receive(message)]
        assert agent.receive(message) == []
    assert any(isinstance(message, Answer) for message in said)
    assert [each for _, each in agent.receive(Resend(1))] == said
    assert agent.receive(share_of(figure_1(), {0, 2, 3})) == []


def test_values_may_come_before_utilities() -> None:
    """An agent that replaces another hears from its parent and its children in any order."""
    share, leaf = share_of(figure_1(), {3}), share_of(figure_1(), {1})
    (_, util), *_ = Agent(1).receive(leaf)
    in_order, reverse = Agent(1), Agent(1)
    value = Value(1, 3, {0: 1, 2: 2})
    assert in_order.receive(share) == reverse.receive(share) == []
    expected = in_order.receive(util) + in_order.receive(value)
    assert reverse.receive(value) == []
    said = reverse.receive(util)
    assert [type(message) for _, message in said] == [type(message) for _, message in expected]
    assert said[-1] == expected[-1]
    assert said[-1][1] == Answer(1, 1, True, {}, {3: 3})


def test_what_is_not_expected_is_ignored() -> None:
    """Messages of an earlier pass, or about a job that is no child here, have no effect."""
    agent = Agent(1)
    agent.receive(share_of(figure_1(), {0, 2, 3}))
    leaf = next(m for _, m in Agent(1).receive(share_of(figure_1(), {1})) if isinstance(m, Util))
    assert agent.receive(Util(0, leaf.job, leaf.content)) == []
    assert agent.receive(Util(1, 4, UtilMessage((4,), leaf.content.table))) == []


class _Liar(InProcess):
    """A transport that answers that every job starts in slot 1."""

    def receive(self) -> Answer | Lost | None:
        return Answer(1, 1, True, {0: 2.0}, {0: 1, 1: 1})


def test_a_wrong_answer_is_not_believed() -> None:
    """The coordinator checks what agents say: these two jobs would overlap."""
    crowd = one_resource(1, 1, slots=2)
    coordinator = by_agents(crowd, _Liar(), (1, 1))
    with pytest.raises(PeerError, match="do not match"):
        Dpop(propagate=coordinator).solve(crowd, VALUE, Limits())


def test_an_infeasible_pass_ends_at_once() -> None:
    """A root that finds no solution says so at once; other trees need not end first."""
    crowd = one_resource(2, 2, slots=3)
    network = ConstraintNetwork.of(crowd, may_leave_out=False)
    transport = InProcess()
    coordinator = by_agents(crowd, transport, (1, 2))
    utilities = sum_utilities(network, [1.0, 1.0], ["sum-of-starts"])
    found = coordinator(network, make_tree(network, "min-fill"), utilities, 1)
    assert found.utility == -math.inf
    assert transport.messages == 1


def test_owners() -> None:
    """A cluster owns the jobs that name it first; with fewer agents, neighbours share one."""
    assert job_owners(figure_1()) == (1, 1, 2, 2, 3)
    assert job_owners(figure_1(), 2) == (1, 1, 1, 1, 2)
    assert job_owners(figure_1(), by="job") == (1, 2, 3, 4, 5)
    assert job_owners(figure_1(), 99) == (1, 1, 2, 2, 3)
    assert adopted((1, 1, 2, 2, 3), 2) == (1, 1, 3, 1, 3)


def test_slips_are_refused() -> None:
    """A misspelt name gets a suggestion, and a number out of range is refused."""
    with pytest.raises(UnknownNameError, match='did you mean "cluster"'):
        job_owners(TEN, by="clusters")
    with pytest.raises(ParameterError, match="0 agents"):
        job_owners(TEN, 0)
    with pytest.raises(UnknownNameError, match='did you mean "adopt"'):
        Distributed(if_lost="adapt")
