"""The options of ``schedlab learn evolve``: the episodes, and the size of the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.machine import MachineOptions
from schedlab.cli.reading import ReadingRules, Shaping
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.evolve import Arena, EvolveSettings, Scene, WeightedObjective

_EPISODES, _SEARCH = "The episodes", "The search"


@dataclass(frozen=True)
class Sources:
    """The sources of the episodes and their machines, with remarks on how they were made."""

    scenes: tuple[Scene, ...]
    notes: tuple[str, ...]
    described: str


@dataclass(frozen=True, kw_only=True)
class Jobs(ReadingRules):
    """Where the jobs of the episodes come from."""

    workload: Annotated[
        list[str],
        Argument(
            metavar="WORKLOAD...",
            help="A model such as wl1 or lublin:nodes=256, a workload file, or the name of a trace "
            'that was fetched; with transforms of its own as in "wl2 set_run=random:0.5". With '
            "several, one policy is tuned for all.",
        ),
    ]
    jobs_per_episode: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Jobs per episode; the machine is empty at its start.",
            rich_help_panel=_EPISODES,
        ),
    ] = 256

    def open(self, shaping: Shaping, machine: MachineOptions) -> Sources:
        """Return the sources of the episodes, and the machines on which they are played."""
        shaping.check()
        scenes, notes, names = [], [], []
        for text in self.workload:
            name, *own = text.split()
            shaped = replace(shaping, transform=[*own, *shaping.transform])
            model = _is_model(name)
            scene, remarks = (self._drawn if model else self._windows)(name, shaped, machine)
            scenes.append(scene)
            notes += [f"{name}: {note}" if len(self.workload) > 1 else note for note in remarks]
            names.append(" ".join((name if model else Path(name).name, *shaped.transforms())))
        return Sources(tuple(scenes), tuple(notes), " + ".join(names))

    def _windows(
        self, trace: str, shaping: Shaping, machine: MachineOptions
    ) -> tuple[Scene, Sequence[str]]:
        from schedlab.cli.replay import Scenario
        from schedlab.evolve import Scene
        from schedlab.workload.episodes import WindowEpisodes

        scenario = Scenario.load(self.of(trace), shaping, machine)
        return Scene(
            WindowEpisodes(scenario.workload, self.jobs_per_episode), scenario.platform
        ), scenario.notes

    def _drawn(
        self, model: str, shaping: Shaping, machine: MachineOptions
    ) -> tuple[Scene, Sequence[str]]:
        from schedlab.evolve import Scene
        from schedlab.platform import platform_from_header
        from schedlab.workload import generate
        from schedlab.workload.episodes import GeneratedEpisodes

        if machine.partitions is not None:
            raise ParameterError(f"--partitions needs a trace; {model} is a model")
        platform = machine.given() or platform_from_header(generate(model, 1))
        fitted = (
            [] if machine.oversize == "error" else [f"oversize={machine.oversize}:{platform.nodes}"]
        )
        transforms = (*shaping.transforms(), *fitted)
        return Scene(GeneratedEpisodes(model, self.jobs_per_episode, transforms), platform), ()


def _is_model(name: str) -> bool:
    """Return whether jobs are drawn from a model, not read from a file."""
    from schedlab.lookup import is_import_path
    from schedlab.workload import CATALOG, GENERATORS

    if name in CATALOG or Path(name).exists():
        return False
    known = name.partition(":")[0].lower() in GENERATORS or is_import_path(name)
    return known or not Path(name).suffix


@dataclass(frozen=True, kw_only=True)
class Seeded(Shaping):
    """The changes to the jobs, and the seed of all random draws."""

    seed: Annotated[
        int,
        Option(metavar="S", min=0, help="Seed of all random draws.", rich_help_panel=_SEARCH),
    ] = 0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules by which the episodes are played."""

    predictor: Annotated[
        str,
        Option(
            metavar="PREDICTOR",
            help="Predictor of run times, such as last-two.",
            rich_help_panel=_EPISODES,
        ),
    ] = "request"
    tick: Annotated[
        int,
        Option(
            metavar="S",
            min=0,
            help="Interval in seconds at which events are seen; 0: at once.",
            rich_help_panel=_EPISODES,
        ),
    ] = 0
    allow_overrun: Annotated[
        bool,
        Option(
            "--allow-overrun",
            help="Let jobs run beyond their request; otherwise they are killed at it.",
            rich_help_panel=_EPISODES,
        ),
    ] = False

    def check(self) -> None:
        """Refuse a misspelt predictor before anything is read."""
        from schedlab.predict import find_predictor

        find_predictor(self.predictor)

    def arena(self, objective: WeightedObjective, threads: int | None) -> Arena:
        """Return the arena in which the episodes are played."""
        from schedlab.evolve import Arena

        return Arena(
            objective=objective,
            tick=self.tick,
            kill_at_request=not self.allow_overrun,
            predict=self.predictor,
            threads=threads,
        )


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How long and how widely to search; the fields are those of ``EvolveSettings``."""

    generations: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=1_000_000,
            help="Number of generations of the search.",
            rich_help_panel=_SEARCH,
        ),
    ] = 150
    round: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=1_000_000,
            help="Number of generations after which the search starts again from another rule.",
            rich_help_panel=_SEARCH,
        ),
    ] = 50
    population: Annotated[
        int | None,
        Option(
            metavar="N",
            min=4,
            max=100_000,
            help="Candidates per generation.",
            show_default="as CMA-ES advises, about a dozen",
            rich_help_panel=_SEARCH,
        ),
    ] = None
    episodes: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=100_000,
            help="Episodes per candidate; all candidates of a generation play the same.",
            rich_help_panel=_SEARCH,
        ),
    ] = 32
    step: Annotated[
        float,
        Option(
            metavar="X",
            help="Initial step of the search around a rule whose largest weight is 1.",
            rich_help_panel=_SEARCH,
        ),
    ] = 0.5
    max_priority_gap: Annotated[
        bool,
        Option(
            "--max-priority-gap",
            help="Also tune the maximum priority gap for backfilling.",
            rich_help_panel=_SEARCH,
        ),
    ] = False
    pool: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=1_000_000,
            help="Episodes drawn to learn from; each generation plays some of them.",
            show_default="400",
            rich_help_panel=_SEARCH,
        ),
    ] = None
    test: Annotated[
        int,
        Option(
            metavar="N",
            min=2,
            max=1_000_000,
            help="Held-out episodes of the comparison at the end.",
            rich_help_panel=_SEARCH,
        ),
    ] = 100
    threads: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=1024,
            help="Simulations side by side; the result is the same for any number.",
            show_default="one per processor",
            rich_help_panel=_SEARCH,
        ),
    ] = None

    def settings(self, seed: int) -> EvolveSettings:
        """Return these options as settings of the search."""
        from schedlab.evolve import EvolveSettings

        return EvolveSettings(
            generations=self.generations,
            round=self.round,
            population=self.population,
            episodes=self.episodes,
            pool=self.pool or max(EvolveSettings.pool, self.episodes),
            test=self.test,
            step=self.step,
            max_priority_gap=self.max_priority_gap,
            seed=seed,
        )
