"""The table of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from schedlab.cli import (
    analyse,
    audit,
    batsim,
    coalloc,
    demo,
    experiment,
    forecast,
    history,
    incentive,
    jobs,
    learn,
    live,
    operate,
    policies,
    predict,
    serve,
    simulate,
    slurm,
    version,
    workload,
)
from schedlab.cli.commands import add_command, epilog
from schedlab.cli.mistakes import Commands

app = typer.Typer(
    name="schedlab",
    help="A laboratory for batch scheduling: replay what a cluster did under any policy.",
    epilog=epilog((demo.EXAMPLES[0], simulate.EXAMPLES[0])),
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    # A traceback shows a bug, and a plain one is best for a bug report.
    pretty_exceptions_enable=False,
)


@app.callback()
def schedlab(
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=version.print_version,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Take the options that come before any command."""


add_command(app, demo.demo, *demo.EXAMPLES)
add_command(app, simulate.simulate, *simulate.EXAMPLES)
add_command(app, audit.audit, *audit.EXAMPLES)
add_command(app, analyse.analyse, *analyse.EXAMPLES)
add_command(app, predict.predict, *predict.EXAMPLES)
add_command(app, forecast.forecast, *forecast.EXAMPLES)
app.add_typer(workload.app)
app.add_typer(experiment.app)
app.add_typer(incentive.app)
app.add_typer(coalloc.app)
app.add_typer(learn.app)
app.add_typer(batsim.app)
app.add_typer(history.app)
app.add_typer(slurm.app)
app.add_typer(live.app)
add_command(app, operate.operate, *operate.EXAMPLES)
add_command(app, serve.serve, *serve.EXAMPLES)
add_command(app, jobs.jobs, *jobs.EXAMPLES)
add_command(app, policies.policies, *policies.EXAMPLES)
add_command(app, version.version, *version.EXAMPLES)
