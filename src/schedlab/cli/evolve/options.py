"""The options of ``schedlab evolve``: the episodes, and the size of the search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.machine import Machine
from schedlab.cli.reading import Reading, Shaping

if TYPE_CHECKING:
    from schedlab.evolve import Arena, EvolveSettings, Objective
    from schedlab.platform import Platform
    from schedlab.workload.episodes import GeneratedEpisodes, WindowEpisodes

_EPISODES, _SEARCH = "The episodes", "The search"


@dataclass(frozen=True)
class Source:
    """Episodes and their machine, with remarks on how they came about."""

    episodes: WindowEpisodes | GeneratedEpisodes
    platform: Platform
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Jobs(Reading):
    """Where the jobs of the episodes come from."""

    trace: Annotated[
        str,
        Argument(
            metavar="WORKLOAD",
            help="A model such as wl1 or lublin:nodes=256, a workload file, or the name of a trace "
            "that was fetched.",
        ),
    ]
    jobs: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            help="Per episode; the machine is empty at its start.",
            rich_help_panel=_EPISODES,
        ),
    ] = 256

    @property
    def is_model(self) -> bool:
        """Whether jobs are drawn from a model, not read from a file."""
        from schedlab.lookup import is_outside
        from schedlab.workload import CATALOG, GENERATORS

        name = self.trace
        if name in CATALOG or Path(name).exists():
            return False
        known = name.partition(":")[0].lower() in GENERATORS or is_outside(name)
        return known or not Path(name).suffix

    def open(self, shaping: Shaping, machine: Machine) -> Source:
        """Where episodes come from, and the machine that they are played on."""
        from schedlab.cli.replay import Scenario
        from schedlab.platform import platform_from_header
        from schedlab.workload import generate
        from schedlab.workload.episodes import GeneratedEpisodes, WindowEpisodes

        shaping.check()
        if not self.is_model:
            scenario = Scenario.load(self, shaping, machine)
            episodes = WindowEpisodes(scenario.workload, self.jobs)
            return Source(episodes, scenario.platform, scenario.notes)
        platform = machine.given() or platform_from_header(generate(self.trace, 1))
        fitted = (
            [] if machine.oversize == "error" else [f"oversize={machine.oversize}:{platform.nodes}"]
        )
        transforms = (*shaping.transforms(), *fitted)
        return Source(GeneratedEpisodes(self.trace, self.jobs, transforms), platform)

    def described(self, shaping: Shaping) -> str:
        """The workload in one line."""
        name = self.trace if self.is_model else Path(self.trace).name
        return " ".join((name, *shaping.transforms()))


@dataclass(frozen=True, kw_only=True)
class Seeded(Shaping):
    """What is done to the jobs, and the seed of everything."""

    seed: Annotated[
        int,
        Option(metavar="S", min=0, help="Of everything.", rich_help_panel=_SEARCH),
    ] = 0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """By which rules the episodes are played."""

    predict: Annotated[
        str,
        Option(
            metavar="PREDICTOR",
            help="Who says how long jobs run, such as last-two.",
            rich_help_panel=_EPISODES,
        ),
    ] = "request"
    tick: Annotated[
        int,
        Option(
            metavar="S",
            min=0,
            help="Events are seen only every so many seconds; 0: at once.",
            rich_help_panel=_EPISODES,
        ),
    ] = 0
    no_kill: Annotated[
        bool,
        Option(
            "--no-kill",
            metavar="",
            help="Let jobs run beyond their request; otherwise they are killed then.",
            rich_help_panel=_EPISODES,
        ),
    ] = False

    def check(self) -> None:
        """Refuse a misspelt predictor before anything is read."""
        from schedlab.predict import choose_predictor

        choose_predictor(self.predict)

    def arena(self, platform: Platform, objective: Objective, threads: int | None) -> Arena:
        """Where the episodes are played."""
        from schedlab.evolve import Arena

        return Arena(
            platform=platform,
            objective=objective,
            tick=self.tick,
            kill_at_request=not self.no_kill,
            predict=self.predict,
            threads=threads,
        )


@dataclass(frozen=True, kw_only=True)
class Search:
    """How long and how widely to search; the fields are those of ``EvolveSettings``."""

    generations: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            help="So many times candidates are drawn, measured and learnt from.",
            rich_help_panel=_SEARCH,
        ),
    ] = 150
    round: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            help="After so many generations the search begins anew from another rule.",
            rich_help_panel=_SEARCH,
        ),
    ] = 50
    population: Annotated[
        int | None,
        Option(
            metavar="N",
            min=4,
            help="Candidates of a generation.",
            show_default="as CMA-ES advises, about a dozen",
            rich_help_panel=_SEARCH,
        ),
    ] = None
    episodes: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            help="Per candidate: all of a generation play the same.",
            rich_help_panel=_SEARCH,
        ),
    ] = 32
    pool: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
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
            help="Held-out episodes of the comparison at the end.",
            rich_help_panel=_SEARCH,
        ),
    ] = 100
    threads: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Simulations side by side; the result is the same for any number.",
            show_default="one per processor",
            rich_help_panel=_SEARCH,
        ),
    ] = None

    def settings(self, seed: int) -> EvolveSettings:
        """The same for the search."""
        from schedlab.evolve import EvolveSettings

        return EvolveSettings(
            generations=self.generations,
            round=self.round,
            population=self.population,
            episodes=self.episodes,
            pool=self.pool or max(EvolveSettings.pool, self.episodes),
            test=self.test,
            seed=seed,
        )
