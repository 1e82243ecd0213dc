"""``[[model]]``: a policy that the experiment trains itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.predict import find_predictor


@dataclass(frozen=True, kw_only=True)
class ModelSection:
    """``[[model]]``: how it is trained and on which jobs; each training gives a policy of its own.

    Args:
        name: its name in tables, which add the jobs that it was trained on.
        training: the training file, in the experiment's folder.
        on: ``workload/variant``, with ``*`` and ``?`` as for files: it is trained on each of them.
            Without it there is one training, on what the training file's ``[episodes]`` say.
        redraw: every episode of the training has other jobs, from the generator of the workload;
            the training file's ``[episodes]`` say how many.
        steps: numbers of training steps on what these patterns match, in place of the training
            file's.
        tested_on: patterns of what it schedules besides what it was trained on. Default: all.
        sampled: beside the greedy policy, the mean over this number of runs with actions drawn by
            the network's probabilities.
        seeds: number of the experiment's seeds, from the first on. Default: all.
        predict: the predictor of run times when it schedules. Default: that of the training.
        tick: as for every policy; it must be the ``sim_step_s`` of the training.
        kill_at_request: as for every policy.
    """

    name: str
    training: str
    on: tuple[str, ...] = ()
    redraw: bool = False
    steps: dict[str, int] = field(default_factory=dict)
    tested_on: tuple[str, ...] = ("*",)
    sampled: int = 0
    seeds: int | None = None
    predict: str | None = None
    tick: int = 0
    kill_at_request: bool = True

    def __post_init__(self) -> None:
        if not self.on and (self.redraw or self.steps):
            key = "redraw" if self.redraw else "steps"
            raise ParameterError(f"{key} needs on, which names what it is trained on")
        if 0 in self.steps.values():
            raise ParameterError("steps has a 0; must be >= 1")
        if self.seeds == 0:
            raise ParameterError("seeds is 0; must be >= 1")
        if self.predict is not None:
            find_predictor(self.predict)

    def is_trained_on(self, name: str) -> bool:
        """Return whether a pattern of ``on`` matches this ``workload/variant``."""
        return _meant(name, self.on)

    def is_tested_on(self, name: str) -> bool:
        """Return whether a pattern of ``tested_on`` matches this ``workload/variant``."""
        return _meant(name, self.tested_on)

    def steps_on(self, name: str) -> int | None:
        """Return the steps for the first pattern that matches the name, if one does."""
        found = (steps for pattern, steps in self.steps.items() if fnmatchcase(name, pattern))
        return next(found, None)

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse a pattern that matches none of the names."""
        known = list(names)
        for pattern in (*self.on, *self.steps, *self.tested_on):
            if not any(fnmatchcase(name, pattern) for name in known):
                raise UnknownNameError(
                    f'workload/variant in [[model]] "{self.name}"', pattern, known
                )


def _meant(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
