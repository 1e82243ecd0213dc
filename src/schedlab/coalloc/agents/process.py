"""Agents as processes on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterable

SECRET_VARIABLE = "SCHEDLAB_AGENT_SECRET"
LOOPBACK = "127.0.0.1"


class LocalProcesses:
    """Starts a process for each agent, which listens on a port that this process opened for it."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.running: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, agents: Iterable[int]) -> dict[int, str]:
        """Start a new process for each of these agents; return where each one listens."""
        addresses = {}
        for agent in agents:
            self._stop(agent)
            with socket.create_server((LOOPBACK, 0)) as listener:
                addresses[agent] = f"{LOOPBACK}:{listener.getsockname()[1]}"
                self.running[agent] = self._process(listener.fileno())
        return addresses

    def close(self) -> None:
        """End all processes; they hold nothing that is still needed."""
        for agent in list(self.running):
            self._stop(agent)

    def _process(self, listener: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", __package__, str(listener)],
            env={**os.environ, SECRET_VARIABLE: self._secret.decode()},
            pass_fds=[listener],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the coordinator, which then ends them
        )

    def _stop(self, agent: int) -> None:
        process = self.running.pop(agent, None)
        if process is not None:
            process.kill()
            process.wait()
