"""schedlab demo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from schedlab.cli.comparison import PolicyComparison
from schedlab.cli.console import AsJson, heading, out, print_json, print_notes
from schedlab.cli.pictures import Pictures
from schedlab.cli.store_place import require_history
from schedlab.errors import MissingExtraError, OutputError

if TYPE_CHECKING:
    from schedlab.sim import Schedule
    from schedlab.workload import Workload

EXAMPLES = (
    "schedlab demo",
    "schedlab demo --seed 7 --out pictures",
    "schedlab demo history",
)

NODES, JOBS, LOAD = 256, 2_000, 0.9
POLICIES = ("fcfs", "easy", "sjf+easy", "conservative")
METRICS = ("wait", "wait:percentile=95", "wait:percentile=100", "bounded_slowdown", "utilisation")


def demo(
    what: Annotated[
        Literal["simulation", "history"],
        Argument(metavar="WHAT", help="What to show: simulation or history."),
    ] = "simulation",
    folder: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="Folder for what is written.",
            show_default="out/demo or out/history-demo",
        ),
    ] = None,
    seed: Annotated[int, Option(metavar="S", min=0, help="Seed of the demo.")] = 1,
    json: AsJson = False,
) -> None:
    """Show what schedlab does: four policies compared, or the history of a site.

    The simulation draws a workload, compares four policies on it and draws their schedules. The
    history makes a miniature site, ingests its jobs and shows the record of one. The web service
    has its own demo: schedlab serve --demo.
    """
    if what == "history":
        _history(folder or Path("out/history-demo"), seed, json=json)
    else:
        _simulation(folder or Path("out/demo"), seed, json=json)


def _simulation(folder: Path, seed: int, *, json: bool) -> None:
    from schedlab.sim import simulate

    _make(folder)
    workload = _workload(seed)
    schedules = [simulate(workload, NODES, policy, seed=seed) for policy in POLICIES]
    comparison = PolicyComparison.of(schedules, METRICS)
    if json:
        rows = zip(POLICIES, comparison.rows(), strict=True)
        print_json([{"policy": policy, **row} for policy, row in rows])
    else:
        console = out()
        title = f"{JOBS:,} jobs of the Lublin-Feitelson model on {NODES} nodes, load {LOAD}"
        console.print(heading(title), "", comparison.table(console), "", sep="\n")
        console.print(*_meaning(comparison), "", sep="\n")
    print_notes(_draw(schedules, folder), to_stderr=json)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None


def _workload(seed: int) -> Workload:
    """Return jobs whose users ask for twice the time they need, on average."""
    from schedlab.workload import apply, generate

    drawn = generate(f"lublin:nodes={NODES}", JOBS, seed=seed)
    return apply(drawn, ["set_request=random:0.5", f"load={LOAD}:{NODES}"], seed=seed)


def _meaning(comparison: PolicyComparison) -> Iterator[str]:
    from schedlab.units import short_duration

    def waits(metric: str) -> dict[str, str]:
        values = comparison.values[metric]
        return {policy: short_duration(each) for policy, each in zip(POLICIES, values, strict=True)}

    mean, longest = waits("wait"), waits("wait:percentile=100")
    yield (
        "fcfs leaves nodes idle before a wide job; easy fills them with jobs that do not delay "
        f"it: a mean wait of {mean['easy']}, not {mean['fcfs']}."
    )
    yield (
        "sjf+easy puts short jobs first, which lowers the slowdown of most, but one job waits "
        f"{longest['sjf+easy']}; conservative promises every job a start and keeps its word."
    )


def _draw(schedules: Sequence[Schedule], folder: Path) -> Iterator[str]:
    """Draw what the installed packages can draw, and say what was written or is missing."""
    report = Pictures(report=folder / "report.html")
    gantt = Pictures(figure=folder / "gantt.png", figure_kind="gantt")
    for pictures, shown in ((report, schedules), (gantt, schedules[:2])):
        try:
            pictures.check()
        except MissingExtraError as error:
            yield f"not drawn: {error}"
        else:
            yield from (f"written: {path}" for path in pictures.draw(shown, METRICS))


def _history(folder: Path, seed: int, *, json: bool) -> None:
    require_history()
    from schedlab.history.demo import store_demo
    from schedlab.history.store import Store

    site = store_demo(folder, seed=seed)
    with Store.open(site.store.located(folder)) as store:
        found = list(store.jobs())
    smallest = min(found, key=lambda each: (each.resource_req.num_host, each.jobid))
    if not json:
        title = f"job {smallest.jobid}, one of {len(found)} of a site of 8 nodes with 2 GPUs each"
        out().print(heading(title), "", sep="\n")
    print_json(smallest.model_dump(mode="json", exclude_none=True))
    notes = [
        f"site: {site.path}; store: {folder / site.store.url}",
        f"try: schedlab history show --site {site.path}",
    ]
    print_notes(notes, to_stderr=json)
