"""Agents as processes over TCP: the same answer even if one is killed, silent or absent."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from threading import Thread, Timer

import pytest

from schedlab.coalloc import Limits, Objective, Solution, generate_problem, solve
from schedlab.coalloc.agents import Coordinator, Distributed, find_transport, job_owners, server
from schedlab.coalloc.agents.channel import parse_address
from schedlab.coalloc.agents.message import Lost, Resend
from schedlab.coalloc.agents.process import SECRET_VARIABLE, LocalProcesses
from schedlab.coalloc.agents.server import serve
from schedlab.coalloc.agents.tcp import RemoteAgents, Tcp
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.split import Split
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import AgentLostError, ParameterError

SECRET = b"a secret of the tests"
OBJECTIVE = Objective(("value", "makespan"))
TWENTY = generate_problem(20, kind="one-or-two", slots=7, seed=1)


@pytest.fixture(scope="module")
def alone() -> Solution:
    """Return the answer of a single process."""
    return solve(TWENTY, "dpop", OBJECTIVE)


def test_three_processes_find_the_same(alone: Solution) -> None:
    """Three processes give the same starts and messages as one."""
    over_tcp = solve(TWENTY, Distributed(transport=find_transport("tcp"), agents=3), OBJECTIVE)
    assert over_tcp.starts == alone.starts
    assert over_tcp.counters["agents"] == 3
    assert over_tcp.messages == alone.messages


class Forked:
    """Agents in processes forked off one that has imported everything: they start at once."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["schedlab.coalloc.agents.server"])
        self.running: dict[int, BaseProcess] = {}

    def start(self, agents: Iterable[int]) -> dict[int, str]:
        """Start a new process for each agent; return the addresses where they listen."""
        addresses = {}
        for agent in agents:
            self._stop(agent)
            with socket.create_server(("127.0.0.1", 0)) as listener:
                addresses[agent] = f"127.0.0.1:{listener.getsockname()[1]}"
                process = self._context.Process(target=serve, args=(listener, SECRET), daemon=True)
                process.start()
            self.running[agent] = process
        return addresses

    def close(self) -> None:
        """End all processes."""
        for agent in list(self.running):
            self._stop(agent)

    def _stop(self, agent: int) -> None:
        process = self.running.pop(agent, None)
        if process is not None:
            process.kill()
            process.join()


class Session:
    """Agents in processes, for several problems one after the other."""

    def __init__(
        self, agents: int, processes: LocalProcesses | Forked | None = None, **patience: float
    ) -> None:
        self.processes = processes or Forked()
        self.transport = Tcp(self.processes, SECRET, **patience)
        owners = job_owners(TWENTY, agents)
        self.coordinator = Coordinator(self.transport, owners)
        self.transport.start(sorted(set(owners)))

    def solve(self, solver: Dpop | WidthDeletion | Split | None = None) -> Solution:
        """Return the agents' answer."""
        talking = replace(solver or Dpop(), propagate=self.coordinator)
        return talking.solve(TWENTY, OBJECTIVE, Limits())

    def kill(self, agent: int) -> None:
        """Kill the agent's process, unless it is just being replaced."""
        process = self.processes.running.get(agent)
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the processes."""
        self.transport.close()


def test_relaxations_run_on_processes_too() -> None:
    """One session runs all passes of all rounds."""
    with closing(Session(2)) as session:
        for solver in (WidthDeletion(width=2, rounds=3), Split()):
            assert session.solve(solver).starts == solver.solve(TWENTY, OBJECTIVE, Limits()).starts


def test_a_killed_agent_is_replaced(alone: Solution) -> None:
    """An agent killed between two problems is replaced in the next one."""
    with closing(Session(3)) as session:
        session.solve()
        session.kill(2)
        assert session.solve().starts == alone.starts
        assert session.coordinator.replaced == 1


@pytest.mark.slow
def test_a_stopped_agent_is_replaced(alone: Solution) -> None:
    """An agent whose connection is open but which sends no beat counts as lost."""
    processes = LocalProcesses(SECRET)
    with closing(Session(2, processes, silence_s=2.0)) as session:
        os.kill(processes.running[1].pid, signal.SIGSTOP)
        assert session.solve().starts == alone.starts
        assert session.coordinator.replaced >= 1


@pytest.mark.slow
def test_kill_9_at_any_moment(alone: Solution) -> None:
    """In 100 trials an agent dies at a random moment, even while it starts; no answer is wrong.

    All trials share a session, so that a replacement may be killed in the next trial.
    """
    chance = random.Random(1)
    right = failed = 0
    with closing(Session(3)) as session:
        for _ in range(100):
            victim = chance.choice((1, 2, 3))
            kill = Timer(chance.uniform(0, 0.1), session.kill, [victim])
            kill.start()
            try:
                right += session.solve().starts == alone.starts
            except AgentLostError:
                failed += 1
            kill.join()
        assert right + failed == 100
        assert right > 90
        assert session.coordinator.replaced > 50


@contextmanager
def standing(count: int) -> Iterator[list[str]]:
    """Yield the addresses of ``count`` agents that are already running."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    for listener in listeners:
        Thread(target=serve, args=(listener, SECRET), daemon=True).start()
    try:
        yield [f"127.0.0.1:{listener.getsockname()[1]}" for listener in listeners]
    finally:
        for listener in listeners:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()


def test_agents_at_addresses_serve_one_coordinator_after_the_other(
    alone: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the first session is left in the second."""
    monkeypatch.setenv(SECRET_VARIABLE, SECRET.decode())
    with standing(2) as addresses:
        for _ in range(2):
            found = solve(
                TWENTY,
                Distributed(transport=find_transport("tcp", addresses), agents=2),
                OBJECTIVE,
            )
            assert found.starts == alone.starts


def test_a_spare_address_takes_over(alone: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent listens at the first address; the third is spare."""
    monkeypatch.setenv(SECRET_VARIABLE, SECRET.decode())
    with socket.create_server(("127.0.0.1", 0)) as gone:
        nobody = f"127.0.0.1:{gone.getsockname()[1]}"
    with standing(2) as addresses:
        transport = find_transport("tcp", [nobody, *addresses])
        found = solve(TWENTY, Distributed(transport=transport, agents=2), OBJECTIVE)
    assert found.starts == alone.starts
    assert found.counters["agents replaced"] == 1


def test_another_secret_is_a_clear_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The coordinator says what may be wrong."""
    monkeypatch.setenv(SECRET_VARIABLE, "not the agents' secret")
    with standing(1) as addresses:
        transport = find_transport("tcp", addresses)
        with pytest.raises(AgentLostError, match="another secret"):
            solve(TWENTY, Distributed(transport=transport, agents=1))


def test_an_agent_in_a_session_turns_others_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second coordinator is refused, and the first is not disturbed."""
    monkeypatch.setattr(server, "BUSY_S", 0.01)
    with standing(1) as addresses:
        first, second = (Tcp(RemoteAgents(addresses), SECRET) for _ in range(2))
        with closing(first), closing(second):
            first.start([1])
            second.start([1])
            lost = second.receive()
            assert isinstance(lost, Lost)
            assert "another coordinator" in lost.reason
            solver = Dpop(propagate=Coordinator(first, (1,) * 20))
            assert solver.solve(TWENTY, OBJECTIVE, Limits()).feasible


def test_slips_in_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong addresses and a missing secret are refused.

    An address has a port and is given once, there is one for each agent, and only TCP takes any.
    """
    assert parse_address("[::1]:80") == ("::1", 80)
    for text in ("host", ":80", "host:many", "host:99999"):
        with pytest.raises(ParameterError, match="must be host:port"):
            parse_address(text)
    with pytest.raises(ParameterError, match="given twice"):
        RemoteAgents(["a:1", "a:1"])
    with pytest.raises(ParameterError, match="2 agents at 1 addresses"):
        RemoteAgents(["a:1"]).start([1, 2])
    with pytest.raises(ParameterError, match="takes no addresses"):
        find_transport("ray", ["a:1"])
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    with pytest.raises(ParameterError, match=SECRET_VARIABLE):
        find_transport("tcp", ["a:1"])


def test_a_loss_is_told_not_raised() -> None:
    """Sending to a lost agent is harmless: ``receive`` reports the loss."""
    with closing(Session(2)) as session:
        session.kill(1)
        for _ in range(3):
            session.transport.send(1, Resend(1))
        event = session.transport.receive()
        assert isinstance(event, Lost)
        assert event.agent == 1
