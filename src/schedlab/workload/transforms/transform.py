"""The contract of a transform: a workload in, a new workload out, the step recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from schedlab.errors import ParameterError, WorkloadError
from schedlab.workload.randomness import Seed
from schedlab.workload.workload import Workload


@dataclass(frozen=True)
class TransformEntry:
    """One row of the table of transforms.

    ``form`` shows how the transform is written as text; ``read`` turns the text behind the equals
    sign into the keyword arguments of ``function``. A seeded function also takes ``seed``.
    """

    summary: str
    form: str
    function: Callable[..., Workload]
    read: Callable[[str], Mapping[str, Any]]
    seeded: bool = False


@dataclass(frozen=True)
class Transform:
    """A transform with its parameters settled, ready to be called on any workload."""

    text: str
    function: Callable[..., Workload]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = False

    def __call__(self, workload: Workload, seed: Seed = 0) -> Workload:
        """Return the transformed workload; transforms that draw nothing ignore the seed."""
        chance = {"seed": seed} if self.seeded else {}
        try:
            made = self.function(workload, **self.parameters, **chance)
        except ParameterError as error:
            raise ParameterError(f'transform "{self.text}": {error}') from None
        if len(workload) and not len(made):
            raise WorkloadError(f'transform "{self.text}" keeps none of {len(workload):,} jobs')
        return made
