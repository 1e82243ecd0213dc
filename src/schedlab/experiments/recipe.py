"""How the jobs of a cell are made: a source, transforms and a seed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from schedlab.errors import WorkloadError
from schedlab.experiments.config import VariantSection, WorkloadSection
from schedlab.experiments.digest import key_of, outside_code
from schedlab.workload import Workload, apply, generate, parse_transform, read_workload
from schedlab.workload.readers import ReadOptions


@dataclass(frozen=True)
class Recipe:
    """One workload in one variant under one seed."""

    workload: WorkloadSection
    variant: VariantSection
    seed: int
    jobs_limit: int | None = None

    @property
    def name(self) -> str:
        """Its name in ``[[model]]`` and in errors."""
        return f"{self.workload.name}/{self.variant.name}"

    @property
    def transforms(self) -> tuple[str, ...]:
        """All transforms: the workload's own, the window, the limit, and the variant's."""
        places, limit = self.workload.window(self.seed), self.jobs_limit
        window = [f"slice={places.start}:{places.stop}"] if places else []
        head = [f"head={limit}"] if limit else []
        return (*self.workload.transforms, *window, *head, *self.variant.transforms)

    @property
    def seeded(self) -> bool:
        """Whether another seed gives other jobs."""
        drawn = self.workload.generate is not None or self.workload.window_jobs is not None
        return drawn or any(parse_transform(text).seeded for text in self.transforms)

    def key(self, sha256: str | None) -> str:
        """Return a key of what determines the jobs; the digest is that of the trace's file."""
        return key_of(
            source=sha256,
            options=asdict(self.workload.read_options()),
            generate=self.workload.generate,
            jobs=self.workload.jobs,
            transforms=self.transforms,
            seed=self.seed,
            outside=outside_code([*self.transforms, self.workload.generate or ""]),
        )

    def make(self, source: Path | None) -> Workload:
        """Return the jobs."""
        given = self._given(source)
        self._check_window(given)
        made = apply(given, self.transforms, seed=self.seed)
        if not len(made):
            raise WorkloadError(f'workload "{self.name}": its transforms leave no job')
        return made

    def _given(self, source: Path | None) -> Workload:
        if source is not None:
            return _read(source, self.workload.read_options())
        return generate(str(self.workload.generate), self.workload.jobs or 0, seed=self.seed)

    def _check_window(self, given: Workload) -> None:
        places = self.workload.window(self.seed)
        if places is None:
            return
        have = len(apply(given, self.workload.transforms, seed=self.seed))
        if have < places.stop:
            raise WorkloadError(
                f'workload "{self.workload.name}" has {have:,} jobs; window {self.seed} of '
                f"{len(places):,} jobs would need {places.stop:,}"
            )


@lru_cache(maxsize=1)
def _read(path: Path, options: ReadOptions) -> Workload:
    """Return the trace, kept for the next variant."""
    return read_workload(path, procs=options.procs, cancelled=options.cancelled)
