"""Options of the commands that look at a running Slurm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

if TYPE_CHECKING:
    from schedlab.live.steering.guards import Guards
    from schedlab.slurm.site import SlurmSite

LIVE = "live"
"""The folder of a site that keeps the switch and the logs."""

Conf = Annotated[
    Path | None,
    Option(metavar="FILE", help="The slurm.conf of the cluster. Default: as Slurm finds it."),
]
Every = Annotated[str, Option(metavar="T", help="One period, such as 60s: how often to look.")]
Looks = Annotated[
    int | None, Option(metavar="N", min=1, help="End after this many looks. Default: never.")
]
Forks = Annotated[int, Option(metavar="N", min=1, max=1000, help="How many futures to replay.")]
Policy = Annotated[
    str, Option(metavar="P", help="Whose order of the queue is wished: see schedlab policies.")
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
Changes = Annotated[
    int, Option(metavar="N", min=1, max=100_000, help="How many changes in one period, at most.")
]
LongestWait = Annotated[
    str,
    Option(
        metavar="T",
        help="A job that has waited longer is never moved back; twice as long ends the steering.",
    ),
]
AccountLoss = Annotated[
    float,
    Option(
        metavar="X",
        min=0,
        max=1,
        help="The largest share by which the forecast wait of an account may grow.",
    ),
]
LeastSame = Annotated[
    float,
    Option(
        metavar="X",
        min=0,
        max=1,
        help="The least share of jobs that the twin must have in the same state as Slurm.",
    ),
]


def period_s(text: str) -> float:
    """The period; at least two seconds."""
    from schedlab.errors import ParameterError
    from schedlab.units import parse_duration

    found = float(parse_duration(text))
    if not 2 <= found <= 86_400:
        raise ParameterError(f"--every {text}: must be from 2s to 1d")
    return found


def guards_for(
    site: SlurmSite,
    clamp: int | None,
    changes: int,
    longest_wait: str,
    account_loss: float,
    least_same: float,
) -> Guards:
    """The bounds that the options set."""
    from schedlab.live.steering.guards import Guards, default_clamp
    from schedlab.units import parse_duration

    return Guards(
        clamp or default_clamp(site),
        changes,
        longest_wait_s=float(parse_duration(longest_wait)),
        account_loss=account_loss,
        least_same=least_same,
    )


def print_line(value: Any) -> None:
    """One line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
