"""schedlab learn evolve: tune a priority of a dozen numbers, and keep it as a policy file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from typer import Option

from schedlab.cli.console import AsJson, err, print_json, print_notes
from schedlab.cli.learn.evolve.options import Jobs, Rules, SearchOptions, Seeded
from schedlab.cli.learn.evolve.tables import document, show
from schedlab.cli.machine import MachineOptions

EXAMPLES = (
    "schedlab learn evolve lublin:nodes=256 --metric bounded_slowdown --out mine.toml",
    "schedlab learn evolve trace.swf.gz --jobs-per-episode 256 --metric wait --out wait.toml",
    'schedlab learn evolve wl1 --metric "0.7*utilisation" --metric "0.3*wait" --out both.toml',
    'schedlab learn evolve "wl1 set_run=0.5" wl2 trace.swf --metric wait --out for-all.toml',
    "schedlab learn evolve wl1 --metric utilisation --out utilisation.toml --resume",
    "schedlab simulate trace.swf --policy easy --policy evolved:mine.toml",
)


def evolve(
    jobs: Jobs,
    shaping: Seeded,
    machine: MachineOptions,
    rules: Rules,
    search: SearchOptions,
    metric: Annotated[
        list[str],
        Option(
            metavar="M",
            help="What to improve, such as utilisation or bounded_slowdown; weigh several as in "
            "0.3*utilisation, each relative to FCFS + EASY on the same jobs.",
        ),
    ],
    output: Annotated[Path, Option("--out", metavar="FILE", help="The policy file, in TOML.")],
    absolute: Annotated[
        bool,
        Option(
            "--absolute",
            help="Compare means over all episodes, which long queues dominate; otherwise every "
            "episode has the same weight.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        Option("--resume", help="Continue the evolution of this file."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Tune a small priority function by CMA-ES, and compare it with the usual rules.

    The result is the same whether or not the evolution was interrupted.
    """
    from schedlab.cli.progress import progress
    from schedlab.evolve import WeightedObjective
    from schedlab.evolve import evolve as run

    objective = WeightedObjective.parse(metric, absolute=absolute)
    settings = search.settings(shaping.seed)
    rules.check()
    source = jobs.open(shaping, machine)
    arena = rules.arena(objective, search.threads)
    with _telling_how_to_go_on(output), progress("evolving") as report:
        done = run(
            source.scenes,
            arena,
            output,
            settings,
            workload=source.described,
            resume=resume,
            progress=report,
        )
    if json:
        print_json(document(done))
    else:
        show(done)
    print_notes((*source.notes, f"written: {done.path}"), to_stderr=json)


@contextmanager
def _telling_how_to_go_on(output: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if output.exists():
            note = f"the best so far is in {output}; run again with --resume to go on"
            err().print(note, style="dim", soft_wrap=True)
        raise
