"""schedlab compare."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from schedlab.cli.comparison import Comparison
from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.machine import Machine
from schedlab.cli.pictures import Pictures
from schedlab.cli.reading import Reading, Shaping
from schedlab.cli.replay import NoPast, Past, Policies, Scenario
from schedlab.cli.results import result_rows, run_notes

EXAMPLES = (
    "schedlab compare trace.swf.gz --policy fcfs --policy easy --report report.html",
    "schedlab compare trace.swf --policy easy --policy sjf+easy --metric wait:percentile=99",
    "schedlab compare trace.swf --policy easy --policy conservative --plot waits.pdf --picture cdf",
)


def compare(
    reading: Reading,
    shaping: Shaping,
    machine: Machine,
    policies: Policies,
    pictures: Pictures,
    metric: Annotated[
        list[str] | None,
        Option(
            metavar="M",
            help="A metric such as wait, wait:percentile=95 or utilisation; several may be given.",
        ),
    ] = None,
    no_past: NoPast = False,
    json: AsJson = False,
) -> None:
    """Replay a trace under several policies, and set each beside the best."""
    from schedlab.metrics import find_metric
    from schedlab.viz.comparison import USUAL_METRICS

    policies.names()
    metrics = metric or USUAL_METRICS
    for name in metrics:
        find_metric(name)
    pictures.check()
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    past = Past() if no_past else Past.of(scenario)
    shown = [*schedules, *past.schedules]
    written = pictures.draw(shown, metrics)
    comparison = Comparison.of(shown, metrics)
    rows = result_rows(shown, scenario, policies, shaping.seed)
    if json:
        print_json([{**row, **more} for row, more in zip(rows, comparison.rows(), strict=True)])
    else:
        console = out()
        console.print(heading(scenario.title()), "", comparison.table(console), "", sep="\n")
    notes = [
        *run_notes(rows[: len(schedules)]),
        *past.notes,
        *scenario.notes,
        *(f"written: {path}" for path in written),
    ]
    print_notes(notes, to_stderr=json)
