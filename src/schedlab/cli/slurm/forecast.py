"""schedlab slurm forecast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.slurm.fidelity import Seed, Site

if TYPE_CHECKING:
    from schedlab.analysis import Clock
    from schedlab.sim import StartForecast
    from schedlab.slurm.site import SlurmSite

EXAMPLES = (
    "schedlab slurm forecast mysite",
    "schedlab slurm forecast mysite --at 3d --job 4711 --json",
)
_SHOWN = 30


def forecast(
    site: Site,
    at: Annotated[
        str | None,
        Option(
            metavar="T",
            help="When: a time such as 3d from the beginning of the history. Default: its end, the "
            "present of a dump.",
        ),
    ] = None,
    job: Annotated[
        list[str] | None,
        Option(metavar="ID", help="Only this job, as squeue names it; may be given several times."),
    ] = None,
    forks: Annotated[
        int, Option(metavar="N", min=1, max=1000, help="Number of futures to replay.")
    ] = 50,
    moments: Annotated[
        int,
        Option(metavar="N", min=0, max=200, help="Number of earlier forecasts to learn from."),
    ] = 20,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Forecast when waiting jobs will start, as intervals.

    The twin continues many times from the state of the site at a moment: with run times drawn from
    those of similar jobs, and with other phases of slurmctld's loops.
    """
    from schedlab.cli.progress import progress
    from schedlab.slurm import read_site
    from schedlab.slurm.forecast import TwinForecaster
    from schedlab.slurm.use import last_moment
    from schedlab.units import parse_duration

    read = read_site(site)
    at_s = last_moment(read) if at is None else float(parse_duration(at))
    forecaster = TwinForecaster(read, forks=forks, seed=seed)
    forecaster.require_waiting(at_s)
    with progress("forecasts to learn from") as report:
        forecaster.learn_before(at_s, moments, report)
    made = forecaster.forecast(at_s)
    names = forecaster.names(made)
    rows = _rows(made, names, forecaster.reasons(made), _clock(read), job)
    if json:
        more = {"forks": forks, "moments": moments, "seed": seed}
        print_json({"now_s": made.now_s, **more, "jobs": rows})
        return
    _print(made, rows, _clock(read))
    print_notes(
        [f"{len(names):,} jobs wait; intervals hold the start of 80 % of jobs"], to_stderr=False
    )


def _clock(site: SlurmSite) -> Clock | None:
    from schedlab.analysis import Clock
    from schedlab.slurm.replay import history_of

    return Clock.of(history_of(site).workload.header)


def _rows(
    made: StartForecast,
    names: list[str],
    reasons: list[str],
    clock: Clock | None,
    jobs: list[str] | None,
) -> list[dict[str, Any]]:
    from schedlab.analysis.forecast_words import start_in_words
    from schedlab.errors import ParameterError

    rows = [
        {"job": name, "reason": reason}
        | {key: value for key, value in row.items() if key != "job_id"}
        | {"words": start_in_words(made.now_s, row["low_s"], row["start_s"], row["high_s"], clock)}
        for name, reason, row in zip(names, reasons, made.rows(), strict=True)
    ]
    for each in jobs or ():
        if each not in names:
            raise ParameterError(
                f"job {each} does not wait at {made.now_s:,} s of the history: it has started, or "
                "is not known"
            )
    return [row for row in rows if not jobs or row["job"] in jobs]


def _print(made: StartForecast, rows: list[dict[str, Any]], clock: Clock | None) -> None:
    from schedlab.analysis.forecast_words import moments_in_words
    from schedlab.units import short_duration

    if len(rows) == 1:
        why = f" (it waits: {rows[0]['reason']})" if rows[0]["reason"] else ""
        out().print(f"job {rows[0]['job']} will start {rows[0]['words']}{why}")
        return
    table = new_table("job", "nodes", "waited", "why", "starts from", "most likely", "until")
    for row in sorted(rows, key=lambda row: int(row["start_s"]))[:_SHOWN]:
        moments = (row["low_s"], row["start_s"], row["high_s"])
        table.add_row(
            row["job"],
            f"{row['nodes']:,}",
            short_duration(made.now_s - row["submit_s"]),
            row["reason"] or "–",
            *moments_in_words(made.now_s, moments, clock),
        )
    out().print(table)
    if len(rows) > _SHOWN:
        shown = f"shown: the {_SHOWN} that are likely to start first; --json has all"
        print_notes([shown], to_stderr=False)
