"""schedlab coalloc generate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from schedlab.atomic import require_writable
from schedlab.cli.console import AsJson, print_json

EXAMPLES = (
    "schedlab coalloc generate --jobs 30 --seed 1 --out thirty.toml",
    "schedlab coalloc generate --jobs 50 --kind ring --slots 10 --out tight.json",
)


def generate(
    jobs: Annotated[int, Option(metavar="N", min=1, max=100_000, help="Number of jobs.")],
    out: Annotated[Path, Option(metavar="FILE", help="File to write: .toml or .json.")],
    kind: Annotated[
        Literal["uniform", "one-or-two", "ring"],
        Option(
            metavar="uniform|one-or-two|ring",
            help="Which resources a job needs: any two, any one or two, two neighbours.",
        ),
    ] = "uniform",
    resources: Annotated[
        int, Option(metavar="R", min=2, max=100_000, help="Number of resources.")
    ] = 15,
    slots: Annotated[
        int, Option(metavar="T", min=1, max=100_000, help="Number of time slots.")
    ] = 20,
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of all random draws.")] = 0,
    json: AsJson = False,
) -> None:
    """Draw a problem with a connected constraint graph; whether all jobs fit is random."""
    from schedlab.coalloc import generate_problem, write_problem

    require_writable(out)
    problem = generate_problem(jobs, kind=kind, resources=resources, slots=slots, seed=seed)
    write_problem(problem, out)
    if json:
        facts = {"path": str(out), "name": problem.name, "jobs": jobs, "seed": seed}
        print_json(facts)
    else:
        typer.echo(f"{out}: {jobs:,} jobs on {resources:,} resources in {slots:,} slots")
