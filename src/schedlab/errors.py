"""Everything schedlab raises on purpose.

SchedlabError                 a user's mistake; the command line prints it, exit code 2
├── InputError                a file cannot be read or understood (names file, line, value)
├── OutputError               a result cannot be written
│   └── LeakError             a release would give away real names, and is not written
├── WorkloadError             jobs that contradict each other or the platform
├── PlatformError             an impossible cluster description
├── ProblemError              an impossible co-allocation problem
├── SolverError               a solver of co-allocation broke a rule (a false bound, ...)
├── ServiceError              a history service refuses a request, or does not answer
├── StoreError                a job history's store cannot be opened, read or written
├── UnknownNameError          no such policy, reader, column, ...; suggests the nearest
├── ParameterError            a parameter outside what is allowed
├── MemoryLimitError          a computation would not fit (names the size it needs)
├── PeerError                 another program broke a protocol or fell silent; exit code 1
│   └── AgentLostError        an agent of co-allocation is gone for good (knows its number)
├── SensorError               a sensor source is down or lies; costs one item, never the job
│   └── NoSamplesError        it works, but has nothing of that time and place
├── PolicyError               a policy broke a rule of the simulator (started a job twice, ...)
└── MissingExtraError         an optional dependency is not installed (names the extra)

OutsideTrainingWarning        a network decides about what it was not trained on; Python's warnings
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar


class SchedlabError(Exception):
    """A mistake that a user can correct; its text is one clear sentence."""

    exit_code: ClassVar[int] = 2


class InputError(SchedlabError):
    """A file cannot be read or understood."""

    @classmethod
    def at(cls, path: str | Path, line: int | None, reason: str) -> InputError:
        """Make one that says ``path:line: reason``, the form editors can jump to."""
        where = f"{path}:{line}" if line is not None else f"{path}"
        return cls(f"{where}: {reason}")


class OutputError(SchedlabError):
    """A result cannot be written."""


class LeakError(OutputError):
    """A release would give away real names."""


class WorkloadError(SchedlabError):
    """Jobs that contradict each other or the platform."""


class PlatformError(SchedlabError):
    """An impossible cluster description."""


class ProblemError(SchedlabError):
    """An impossible co-allocation problem."""


class ServiceError(SchedlabError):
    """A history service refuses a request, or does not answer."""


class StoreError(SchedlabError):
    """A job history's store cannot be opened, read or written."""


class ParameterError(SchedlabError):
    """A parameter outside what is allowed."""


class MemoryLimitError(SchedlabError):
    """A computation would need more memory than it may use."""


class PeerError(SchedlabError):
    """Another program broke a protocol, or fell silent."""

    exit_code = 1


class AgentLostError(PeerError):
    """An agent of co-allocation is gone for good."""

    def __init__(self, agent: int, reason: str) -> None:
        super().__init__(f"agent {agent} is lost: {reason}")
        self.agent = agent


class SensorError(SchedlabError):
    """A sensor source is down, or what it says cannot be used."""


class NoSamplesError(SensorError):
    """A sensor source works, but has nothing of that time and place."""


class PolicyError(SchedlabError):
    """A policy broke a rule of the simulator."""


class SolverError(SchedlabError):
    """A solver of co-allocation broke a rule."""


class UnknownNameError(SchedlabError):
    """No such name; suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f'did you mean "{near[0]}"?' if near else "known: " + ", ".join(sorted(known))
        super().__init__(f'unknown {kind} "{name}"; {hint}')


class MissingExtraError(SchedlabError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f'{package} is not installed; in a copy of the repository run: pip install ".[{extra}]"'
        )


class OutsideTrainingWarning(UserWarning):
    """A network decides about what it was not trained on; the result may mean little."""
