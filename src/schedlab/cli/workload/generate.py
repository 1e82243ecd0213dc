"""schedlab workload generate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson
from schedlab.cli.workload.writing import Format, check_target, write

EXAMPLES = (
    "schedlab workload generate lublin --set nodes=256 --jobs 10000 --seed 1 --out lublin.swf",
    "schedlab workload generate wl1 --jobs 2000 --out wl1.csv",
    "schedlab workload generate shared --jobs 10000 --set load=0.8 --out shared.parquet",
)


def generate(
    model: Annotated[
        str,
        Argument(
            metavar="MODEL",
            help="lublin, wl1, wl2, bernoulli, aaic, multi-cluster or shared, or "
            "package.module:object of your own.",
        ),
    ],
    jobs: Annotated[int, Option(metavar="N", min=0, max=100_000_000, help="Number of jobs.")],
    out: Annotated[Path, Option("--out", metavar="FILE", help="File to write; .gz is compressed.")],
    setting: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="A parameter of the model, such as nodes=256."),
    ] = None,
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of all random draws.")] = 0,
    format: Format = None,
    json: AsJson = False,
) -> None:
    """Draw a workload from a model."""
    from schedlab.workload import find_generator

    settings = ",".join(setting or ())
    generator = find_generator(f"{model}:{settings}" if settings else model)
    check_target(out, format)
    write(generator.generate(jobs, seed), out, format, json=json)
