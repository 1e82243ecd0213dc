"""Options of the commands that look at a running scheduler."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

if TYPE_CHECKING:
    from schedlab.live.guards import Guards
    from schedlab.live.peer import Bounds

Site = Annotated[
    Path,
    Argument(metavar="SITE", help="A site folder: of schedlab slurm import, or of a Grid Engine."),
]
Conf = Annotated[
    Path | None,
    Option(metavar="FILE", help="The slurm.conf of the cluster. Default: as Slurm finds it."),
]
Every = Annotated[str, Option(metavar="T", help="Time between two looks, such as 60s.")]
Looks = Annotated[
    int | None, Option(metavar="N", min=1, help="End after this many looks. Default: never.")
]
Forks = Annotated[int, Option(metavar="N", min=1, max=1000, help="Number of futures to replay.")]
Policy = Annotated[
    str, Option(metavar="P", help="Policy that orders the queue: see schedlab policies.")
]
Clamp = Annotated[
    int | None,
    Option(
        metavar="N",
        min=1,
        max=2**30,
        help="The largest change of a priority. Default: a tenth of the sum of the weights.",
    ),
]


@dataclass(frozen=True)
class GuardOptions:
    """Bounds of what a policy may change."""

    clamp: Clamp = None
    changes: Annotated[
        int,
        Option(metavar="N", min=1, max=100_000, help="Maximum number of changes in one period."),
    ] = 100
    longest_wait: Annotated[
        str,
        Option(
            metavar="T",
            help="A job that has waited longer is never moved back; twice as long ends the "
            "steering.",
        ),
    ] = "2d"
    account_loss: Annotated[
        float,
        Option(
            metavar="X",
            min=0,
            max=1,
            help="The largest share by which the forecast wait of an account may grow.",
        ),
    ] = 0.25
    least_same: Annotated[
        float,
        Option(
            metavar="X",
            min=0,
            max=1,
            help="Minimum share of jobs that the twin must have in the same state.",
        ),
    ] = 0.7

    def guards(self, bounds: Bounds) -> Guards:
        """Return the guards with the scheduler's own bounds."""
        from schedlab.live.guards import Guards
        from schedlab.units import parse_duration

        return Guards.of(
            bounds,
            self.clamp,
            changes=self.changes,
            longest_wait_s=float(parse_duration(self.longest_wait)),
            account_loss=self.account_loss,
            least_same=self.least_same,
        )


def period_s(text: str) -> float:
    """Return the period; at least two seconds."""
    from schedlab.errors import ParameterError
    from schedlab.units import parse_duration

    found = float(parse_duration(text))
    if not 2 <= found <= 86_400:
        raise ParameterError(f"--every {text}: must be from 2s to 1d")
    return found


def print_line(value: Any) -> None:
    """Print one line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
