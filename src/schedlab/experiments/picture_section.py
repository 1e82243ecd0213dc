"""``[[picture]]``: results that are drawn beside the report."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

from schedlab.errors import ParameterError, UnknownNameError

KINDS = ("workloads", "learning", "front")
SAMPLED = " (sampled)"


@dataclass(frozen=True, kw_only=True)
class PictureSection:
    """``[[picture]]``: a metric over workloads, how models learnt, or one metric against another.

    Args:
        name: the name of its file, without the ending.
        title: the title above it in the report.
        of: ``workloads``, ``learning`` or ``front``, which shows the best policies in two metrics.
        metric: the metric to draw; in ``learning``, that of the policies that do not learn.
        on: ``workload/variant``, with ``*`` and ``?`` as for files; in order, to the right.
        lines: policies and models, such as ``PPO`` or ``PPO (sampled)``; each model is shown on
            the jobs that it was trained on.
        against: in ``front``, the metric to the right.
    """

    name: str
    metric: str
    on: tuple[str, ...]
    lines: tuple[str, ...]
    title: str = ""
    of: str = "workloads"
    against: str | None = None

    def __post_init__(self) -> None:
        if self.of not in KINDS:
            raise UnknownNameError("kind of picture", self.of, KINDS)
        if not self.name.replace("-", "").replace("_", "").isalnum():
            raise ParameterError(f'name is "{self.name}"; must be letters, digits, - and _')
        if (self.of == "front") != (self.against is not None):
            raise ParameterError("against belongs to a front, and a front needs it")
        if not (self.on and self.lines):
            raise ParameterError("on and lines must not be empty")

    def is_on(self, name: str) -> bool:
        """Return whether it shows the ``workload/variant`` of that name."""
        return any(fnmatchcase(name, pattern) for pattern in self.on)

    def check_names(
        self, metrics: Collection[str], policies: Collection[str], models: Collection[str]
    ) -> None:
        """Refuse metrics, policies and models that the experiment does not have."""
        where = f'in [[picture]] "{self.name}"'
        for metric in filter(None, (self.metric, self.against)):
            if metric not in metrics:
                raise UnknownNameError(f"metric {where}", metric, metrics)
        for line in self.lines:
            if line not in policies and line.removesuffix(SAMPLED) not in models:
                raise UnknownNameError(f"policy or model {where}", line, [*policies, *models])
