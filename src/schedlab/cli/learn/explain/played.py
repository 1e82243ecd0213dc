"""The options for the episodes in which a learned policy is watched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from schedlab.rl.explain import Effort
    from schedlab.rl.model_file import TrainedModel
    from schedlab.workload.episodes import Episodes

_EPISODES = "The episodes"


@dataclass(frozen=True, kw_only=True)
class Played:
    """The episodes in which the policy is watched; by default those of its evaluation."""

    workload: Annotated[
        str | None,
        Option(
            metavar="W",
            help="A model such as wl1, or a file.",
            show_default="as in the training",
            rich_help_panel=_EPISODES,
        ),
    ] = None
    jobs_per_episode: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Jobs per episode.",
            show_default="as in the training, or all of --workload",
            rich_help_panel=_EPISODES,
        ),
    ] = None
    transform: Annotated[
        list[str],
        Option(
            metavar="T",
            help="A transform such as set_run=random:0.5; several are applied in order.",
            show_default="as in the training",
            rich_help_panel=_EPISODES,
        ),
    ] = field(default_factory=list)
    episodes: Annotated[
        int,
        Option(
            metavar="N", min=1, max=1_000_000, help="Number of episodes.", rich_help_panel=_EPISODES
        ),
    ] = 20
    seed: Annotated[
        int | None,
        Option(
            metavar="S",
            min=0,
            help="Seed of all random draws.",
            show_default="that of the evaluation",
            rich_help_panel=_EPISODES,
        ),
    ] = None
    threads: Annotated[
        int,
        Option(metavar="N", min=1, max=1024, help="Number of threads.", rich_help_panel=_EPISODES),
    ] = 1

    def open(self, model: TrainedModel) -> Episodes:
        """Return the episodes that the options describe."""
        from schedlab.workload.episodes import choose_episodes

        own = model.config.episodes
        if self.workload is not None:
            return choose_episodes(self.workload, self.jobs_per_episode, tuple(self.transform))
        jobs, transforms = (
            self.jobs_per_episode or own.jobs,
            tuple(self.transform) or own.transforms,
        )
        wanted = replace(own, jobs=jobs, transforms=transforms, seed=None)
        return replace(model.config, episodes=wanted, folder=Path()).open_episodes()[1]

    def effort(self, model: TrainedModel, states: int) -> Effort:
        """Return how many episodes are played and how many states are explained."""
        from schedlab.rl.explain import Effort

        seed = model.config.evaluation.seed if self.seed is None else self.seed
        return Effort(episodes=self.episodes, states=states, seed=seed, threads=self.threads)
