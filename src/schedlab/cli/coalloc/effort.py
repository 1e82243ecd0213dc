"""The options for a problem, and for the time, memory and threads of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

if TYPE_CHECKING:
    from schedlab.coalloc import Limits

ProblemFile = Annotated[Path, Argument(metavar="FILE", help="A problem as .toml or .json.")]
ObjectiveText = Annotated[
    str,
    Option(
        "--objective",
        metavar="O",
        help="value, makespan, sum-of-starts, or several in the order in which they decide.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class SolverEffort:
    """The time, memory, threads and seed of a solver."""

    time_limit: Annotated[
        str | None,
        Option(
            metavar="T",
            help="Time limit, such as 30s or 5m; the answer is then the best solution so far.",
        ),
    ] = None
    memory: Annotated[
        str | None,
        Option(metavar="M", help="Memory for messages, such as 2GB; larger problems are refused."),
    ] = None
    threads: Annotated[int, Option(metavar="N", min=1, max=1024, help="Threads of one solver.")] = 1
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of all random draws.")] = 0

    def limits(self) -> Limits:
        """Return the limits as the solvers take them."""
        from schedlab.coalloc import Limits
        from schedlab.units import parse_bytes, parse_duration

        return Limits(
            time_s=None if self.time_limit is None else parse_duration(self.time_limit),
            memory_bytes=None if self.memory is None else parse_bytes(self.memory),
            seed=self.seed,
            threads=self.threads,
        )
