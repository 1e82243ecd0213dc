"""The options that say which trace is read, and how."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from schedlab.cli.accounting import ACCOUNTING, read_accounting
from schedlab.cli.completion import reading_formats
from schedlab.errors import InputError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from schedlab.workload import Workload
    from schedlab.workload.readers import ReadOptions

_READING, _SHAPING = "Reading the trace", "Shaping the workload"


@dataclass(frozen=True, kw_only=True)
class ReadingRules:
    """How a trace is read."""

    format: Annotated[
        str | None,
        Option(
            metavar="NAME",
            autocompletion=reading_formats,
            help="Format, if neither suffix nor content shows it: swf, gwf, gwf-sqlite, "
            "job-history, batsim-json, parquet, alibaba-gpu or csv; or the accounting of a "
            "scheduler: "
            "slurm-sacct, slurm-sacct-json, slurm-jobcomp, grid-engine or clustercockpit.",
            rich_help_panel=_READING,
        ),
    ] = None
    strict: Annotated[
        bool,
        Option(
            "--strict",
            help="Refuse a trace in which anything must be repaired or dropped.",
            rich_help_panel=_READING,
        ),
    ] = False
    procs: Annotated[
        Literal["allocated", "requested"],
        Option(
            metavar="allocated|requested",
            help="Which count of processors is the size of a job, if the trace has both.",
            rich_help_panel=_READING,
        ),
    ] = "allocated"
    cancelled: Annotated[
        Literal["drop", "replay", "short"],
        Option(
            metavar="drop|replay|short",
            help="Jobs that never ran: drop them, replay wait and withdrawal, or let them run for "
            "10 s.",
            rich_help_panel=_READING,
        ),
    ] = "drop"
    flops_per_s: Annotated[
        float,
        Option(
            metavar="F",
            show_default="1e6",
            help="Speed of a host, for Batsim profiles that give amounts of work.",
            rich_help_panel=_READING,
        ),
    ] = 1e6

    rename: Annotated[
        list[str],
        Option(
            metavar="THEIRS=OURS",
            help="Rename a column of a CSV or Parquet file to one of schedlab's; THEIRS=- drops "
            "it, THEIRS=OURS*1024 multiplies its numbers.",
            rich_help_panel=_READING,
        ),
    ] = field(default_factory=list)

    def of(self, trace: str) -> WorkloadOptions:
        """Return options with the same rules for this trace."""
        rules = {each.name: getattr(self, each.name) for each in fields(ReadingRules)}
        return WorkloadOptions(trace=trace, **rules)


@dataclass(frozen=True, kw_only=True)
class WorkloadOptions(ReadingRules):
    """Where the jobs come from."""

    trace: Annotated[
        str,
        Argument(
            metavar="TRACE",
            help="A workload file, - for standard input, the name of a trace that was fetched, or "
            "a model such as lublin:nodes=256.",
        ),
    ]
    jobs: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=100_000_000,
            help="Number of jobs to draw, if TRACE is a model.",
            rich_help_panel=_READING,
        ),
    ] = 10_000

    def read(self, seed: int = 0) -> Workload:
        """Return the workload in the trace, or drawn from the model with that seed."""
        from schedlab.cli.progress import progress
        from schedlab.workload import generate, read_workload
        from schedlab.workload.generators import is_model

        if is_model(self.trace) and not Path(self.trace).exists():
            return generate(self.trace, self.jobs, seed=seed)
        path = locate(self.trace)
        self._check_format()
        with progress(f"reading {path.name}"):
            if self.format in ACCOUNTING:
                return read_accounting(self.format, path, self._options())
            return read_workload(path, format=self.format, **vars(self._options()))

    def _check_format(self) -> None:
        from schedlab.lookup import is_import_path
        from schedlab.workload import READERS

        known = (*READERS, *ACCOUNTING)
        if self.format is not None and self.format not in known and not is_import_path(self.format):
            raise UnknownNameError("format", self.format, known)

    def _options(self) -> ReadOptions:
        from schedlab.workload.readers import ReadOptions

        rename = dict(map(_renamed, self.rename))
        return ReadOptions(self.strict, self.procs, self.cancelled, self.flops_per_s, rename)


@dataclass(frozen=True, kw_only=True)
class Shaping:
    """The changes to the jobs after they are read."""

    cores_per_node: Annotated[
        int | None,
        Option(
            metavar="C",
            min=1,
            help="Cores per node: turn the trace's counts of cores into whole nodes.",
            rich_help_panel=_SHAPING,
        ),
    ] = None
    transform: Annotated[
        list[str],
        Option(
            metavar="T",
            help="A transform such as head=1000 or set_request=0.2; several are applied in order.",
            rich_help_panel=_SHAPING,
        ),
    ] = field(default_factory=list)
    seed: Annotated[
        int,
        Option(
            metavar="S",
            min=0,
            help="Seed of models and random transforms.",
            rich_help_panel=_SHAPING,
        ),
    ] = 0

    def check(self) -> None:
        """Refuse a misspelt transform before anything is read."""
        from schedlab.workload import parse_transform

        for text in self.transform:
            parse_transform(text)

    def apply(self, workload: Workload) -> Workload:
        """Turn cores into nodes, and apply the transforms."""
        from schedlab.workload import apply

        return apply(workload, self.transforms(), seed=self.seed)

    def transforms(self) -> list[str]:
        """Return all transforms, in order."""
        cores = [] if self.cores_per_node is None else [f"cores_per_node={self.cores_per_node}"]
        return [*cores, *self.transform]


def _renamed(text: str) -> tuple[str, str]:
    theirs, _, ours = (part.strip() for part in text.rpartition("="))
    if not theirs:
        raise ParameterError(f'--rename is "{text}"; must be THEIRS=OURS, such as Cores=cores')
    return theirs, ours


def locate(trace: str) -> Path:
    """Return the file with this name, or the fetched trace with this name in the cache."""
    from schedlab.workload import CATALOG
    from schedlab.workload.fetch import find

    path = Path(trace)
    if path.exists() or trace not in CATALOG:
        return path
    fetched = find(trace)
    if fetched is None:
        raise InputError(f"{trace}: was not fetched yet; run: schedlab workload fetch {trace}")
    return fetched
