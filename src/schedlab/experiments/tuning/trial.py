"""A setting and the results of its trainings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from schedlab.experiments.tuning.space import Setting


@dataclass(frozen=True)
class TrainingRun:
    """One training of a setting: its folder, and its score or why it has none."""

    seed: int
    folder: Path
    score: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class Trial:
    """A setting trained with several seeds; ``given_up`` if it was pruned after its steps."""

    setting: Setting
    steps: int
    runs: tuple[TrainingRun, ...]
    given_up: bool = False

    @property
    def scores(self) -> list[float]:
        """The scores of the runs that did not fail."""
        return [run.score for run in self.runs if run.score is not None]

    @property
    def mean(self) -> float | None:
        """The mean over all runs; None if one failed, since the others may be the lucky ones."""
        return fmean(self.scores) if len(self.scores) == len(self.runs) else None

    @property
    def spread(self) -> float | None:
        """The standard deviation over runs."""
        return stdev(self.scores) if len(self.scores) == len(self.runs) > 1 else None

    @property
    def ranked(self) -> bool:
        """Whether it was trained to the end in all its runs."""
        return self.mean is not None and not self.given_up

    def best_run(self, larger_is_better: bool) -> TrainingRun:
        """Return the run with the best score, the first of equals."""
        return max(self.runs, key=lambda run: _worth(run.score, larger_is_better))


@dataclass(frozen=True)
class SearchResult:
    """The result of a search: trials, and why some settings cannot be trained."""

    trials: Sequence[Trial]
    left_out: Mapping[str, str]


def in_order(trials: Iterable[Trial], larger_is_better: bool) -> list[Trial]:
    """Sort trials: best first, then those given up, the latest first, then those that failed."""

    def place(trial: Trial) -> tuple[bool, int, float]:
        return trial.mean is not None, trial.steps, _worth(trial.mean, larger_is_better)

    return sorted(trials, key=place, reverse=True)


def _worth(score: float | None, larger_is_better: bool) -> float:
    if score is None:
        return float("-inf")
    return score if larger_is_better else -score
