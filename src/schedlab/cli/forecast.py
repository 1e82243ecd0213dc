"""schedlab forecast."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import MachineOptions
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.replay import Scenario
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.analysis import Clock
    from schedlab.analysis.forecast_scores import ForecastScores
    from schedlab.sim import StartForecast

EXAMPLES = (
    "schedlab forecast trace.swf.gz --at 41d",
    'schedlab forecast trace.swf.gz --at "1999-03-02 14:00" --job 4711 --figure starts.png',
    "schedlab forecast trace.swf.gz --score --moments 300 --json",
)
_SHOWN = 30


def forecast(
    reading: WorkloadOptions,
    shaping: Shaping,
    machine: MachineOptions,
    at: Annotated[
        str | None,
        Option(
            metavar="T",
            help="When: seconds or a time such as 41d from the beginning of the trace, or a date "
            'such as "1999-03-02 14:00" where the trace has dates.',
        ),
    ] = None,
    job: Annotated[
        list[int] | None,
        Option(metavar="ID", help="Only this waiting job; may be given several times."),
    ] = None,
    policy: Annotated[str, Option(metavar="P", help="The policy that decides.")] = "easy",
    forks: Annotated[
        int, Option(metavar="N", min=1, max=10_000, help="Number of futures to simulate.")
    ] = 100,
    predictor: Annotated[
        str,
        Option(metavar="P", help="A predictor that gives distributions of run times."),
    ] = "nearest-quantiles",
    no_arrivals: Annotated[
        bool,
        Option(
            "--no-arrivals",
            help="No new jobs arrive; otherwise jobs arrive as in the same hours of past weeks.",
        ),
    ] = False,
    moments: Annotated[
        int,
        Option(
            metavar="N",
            min=0,
            max=10_000,
            help="Number of earlier forecasts to learn from; with --score: number to score.",
        ),
    ] = 60,
    score: Annotated[
        bool,
        Option(
            "--score",
            help="Make forecasts at moments of the whole trace, and score them.",
        ),
    ] = False,
    figure: Annotated[
        Path | None, Option(metavar="FILE", help="Draw a picture as .png, .pdf or .svg.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Forecast when waiting jobs will start, as intervals.

    The trace is replayed up to a moment. From there many futures are simulated: run times are
    drawn from those of similar jobs, and jobs arrive as in past weeks.
    """
    from schedlab.policies import find_policy

    if score == (at is not None):
        raise ParameterError("give either --at T or --score")
    if score and (job or figure):
        raise ParameterError("--score goes without --job and --figure")
    find_policy(policy)
    _check_figure(figure)
    scenario = Scenario.load(reading, shaping, machine)
    options = {"forks": forks, "arrivals": not no_arrivals, "predict": predictor}
    if score:
        _score(scenario, policy, options, moments, shaping.seed, json=json)
        return
    clock = _clock(scenario)
    made = _forecast(scenario, policy, options, moments, shaping.seed, _moment(at or "", clock))
    if job:
        made = made.of(*job)
    rows = [row | {"words": _words(made, row, clock), **_dates(row, clock)} for row in made.rows()]
    if json:
        print_json(
            {
                "now_s": made.now_s,
                "policy": policy,
                "seed": shaping.seed,
                "moments": moments,
                **_told(options),
                "jobs": rows,
            }
        )
    else:
        _print(made, rows, scenario, clock)
    written = []
    if figure is not None:
        from schedlab.viz import save_figure
        from schedlab.viz.forecast import draw_forecast

        save_figure(draw_forecast(made, clock), figure)
        written = [f"written: {figure}"]
    print_notes([*scenario.notes, *written], to_stderr=json)


def _told(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options by the names that they have on the command line."""
    return {"predictor" if name == "predict" else name: each for name, each in options.items()}


def _check_figure(figure: Path | None) -> None:
    if figure is not None:
        from schedlab.cli.pictures import Pictures

        Pictures(figure=figure).check()


def _clock(scenario: Scenario) -> Clock | None:
    from schedlab.analysis import Clock

    return Clock.of(scenario.workload.header)


def _moment(text: str, clock: Clock | None) -> int:
    """Return seconds from the beginning of the trace."""
    from schedlab.units import parse_duration

    if not re.match(r"\s*\d{4}-\d", text):
        return parse_duration(text)
    if clock is None:
        raise ParameterError(f'--at "{text}": the trace has no dates; give seconds, or 41d')
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ParameterError(f'--at "{text}": {error}') from None
    if date.tzinfo is None:
        date = date.replace(tzinfo=clock.zone)
    return int(date.timestamp()) - clock.begin_s


def _forecast(
    scenario: Scenario,
    policy: str,
    options: dict[str, object],
    moments: int,
    seed: int,
    at_s: int,
) -> StartForecast:
    from schedlab.cli.progress import progress
    from schedlab.sim import Forecaster, Simulation

    submit_s = scenario.workload["submit_s"]
    first_s, last_s = int(submit_s[0]), int(submit_s[-1])
    if not first_s <= at_s:
        raise ParameterError(f"--at is {at_s} s; the trace begins at {first_s} s")
    simulation = Simulation(
        scenario.workload, scenario.platform, policy, whole_nodes=scenario.whole_nodes
    )
    forecaster = Forecaster(simulation, seed=seed, **options)  # type: ignore[arg-type]
    with progress("forecasts to learn from") as report:
        forecaster.run(at_s, moments, report)
    made = forecaster.forecast()
    if not len(made):
        raise ParameterError(
            f"no job waits at {at_s} s; submissions go from {first_s} s to {last_s} s"
        )
    return made


def _words(made: StartForecast, row: dict[str, float], clock: Clock | None) -> str:
    from schedlab.analysis.forecast_words import start_in_words

    return start_in_words(made.now_s, row["low_s"], row["start_s"], row["high_s"], clock)


def _dates(row: dict[str, float], clock: Clock | None) -> dict[str, str]:
    found = {}
    for name in ("low", "start", "high"):
        date = None if clock is None else clock.at(int(row[f"{name}_s"]))
        if date is not None:
            found[name] = date.isoformat()
    return found


def _print(
    made: StartForecast,
    rows: Sequence[Mapping[str, object]],
    scenario: Scenario,
    clock: Clock | None,
) -> None:
    from schedlab.analysis.forecast_words import moments_in_words
    from schedlab.units import short_duration

    out().print(heading(scenario.title()))
    if len(rows) == 1:
        out().print(f"job {rows[0]['job_id']} will start {rows[0]['words']}")
        return
    table = new_table("job", "nodes", "waited", "starts from", "most likely", "until")
    for row in sorted(rows, key=lambda row: int(str(row["start_s"])))[:_SHOWN]:
        moments = (float(str(row[name])) for name in ("low_s", "start_s", "high_s"))
        table.add_row(
            str(row["job_id"]),
            f"{row['nodes']:,}",
            short_duration(made.now_s - int(str(row["submit_s"]))),
            *moments_in_words(made.now_s, tuple(moments), clock),  # type: ignore[arg-type]
        )
    out().print(table)
    notes = [f"{len(rows):,} jobs wait; intervals hold the start of 80 % of jobs"]
    if len(rows) > _SHOWN:
        notes.append(f"shown: the {_SHOWN} that are likely to start first; --json has all")
    print_notes(notes, to_stderr=False)


def _score(
    scenario: Scenario,
    policy: str,
    options: dict[str, object],
    moments: int,
    seed: int,
    *,
    json: bool,
) -> None:
    from schedlab.analysis.forecast_scores import score_forecasts
    from schedlab.cli.progress import progress

    with progress("forecasts") as report:
        found = score_forecasts(
            scenario.workload,
            scenario.platform,
            policy,
            moments=max(moments, 1),
            seed=seed,
            progress=report,
            **options,  # type: ignore[arg-type]
        )
    if json:
        print_json(
            {"trace": scenario.workload.name, "policy": policy, "seed": seed, **_told(options)}
            | found.as_json()
        )
        print_notes(scenario.notes, to_stderr=True)
        return
    _print_scores(found, scenario)


def _print_scores(found: ForecastScores, scenario: Scenario) -> None:
    from schedlab.units import short_duration

    out().print(heading(scenario.title()))
    table = new_table("forecasts by", "pinball loss", "ours, of it", "in 50 %", "in 80 %")
    ours = [f"{found.within_50:.1%}", f"{found.within_80:.1%}"]
    table.add_row("simulation", short_duration(found.pinball_loss_s), "", *ours)
    rows = {
        "past waits of the size class": (found.naive_loss_s, found.of_naive),
        "one replay with requests": (found.replay_loss_s, found.of_replay),
    }
    for name, (loss_s, share) in rows.items():
        table.add_row(name, short_duration(loss_s), f"{share:.2f}", "", "")
    out().print(table)
    print_notes(
        [
            f"{found.jobs:,} starts at {found.moments:,} moments; they were "
            f"{short_duration(found.mean_wait_s)} ahead on average",
            f"the 80 % interval is {short_duration(found.width_80_s)} wide (median)",
            *scenario.notes,
        ],
        to_stderr=False,
    )
