"""Replays of one trace on one machine under several policies, as several commands need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from schedlab.cli.interruptions import failures_of, preemption_of
from schedlab.cli.machine import MachineOptions
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.platform import Platform
    from schedlab.predict import PredictorLike
    from schedlab.sim import Schedule
    from schedlab.workload import Workload

_RUNS = "The runs"

NoPast = Annotated[
    bool,
    Option(
        "--no-past",
        help='Leave out "as it was", the recorded schedule.',
    ),
]


@dataclass(frozen=True)
class Scenario:
    """The jobs and the machine, with remarks on how they were made."""

    workload: Workload
    platform: Platform
    notes: tuple[str, ...]
    unit: str = "nodes"
    """What the machine's size counts: nodes, or processors if the trace counts processors."""
    whole_nodes: bool = False
    """Whether every job has its nodes to itself."""

    @classmethod
    def load(cls, reading: WorkloadOptions, shaping: Shaping, machine: MachineOptions) -> Scenario:
        """Read the trace, shape the workload and fit it to the machine."""
        from schedlab.cli.console import reading_notes
        from schedlab.platform import header_size, platform_from_header
        from schedlab.platform.apart import widest
        from schedlab.sim.demand_notes import demand_notes

        shaping.check()
        machine.sizes()
        given = machine.given()
        workload = shaping.apply(reading.read(shaping.seed))
        apart = machine.apart(workload)
        if apart is None:
            size = None if given else header_size(workload)
            platform = given or platform_from_header(workload)
        else:
            workload, platform, size = apart.workload, apart.platform, apart.size
        most = platform.nodes if apart is None else widest(apart)
        fitted = machine.fit(workload, most)
        notes = [
            *reading_notes(workload.report),
            *demand_notes(fitted, platform, whole_nodes=machine.whole_nodes),
            *machine.notes(workload, most),
            *([f"machine: {size}"] if size else ()),
            *(apart.notes() if apart else ()),
        ]
        return cls(
            fitted, platform, tuple(notes), size.unit if size else "nodes", machine.whole_nodes
        )

    def title(self) -> str:
        """Describe the replay in one line: the jobs, the machine and the dates."""
        from schedlab.analysis.clock import dates_told

        clusters = len(self.platform.clusters)
        where = f" of {clusters} clusters" if "needs" in self.workload else ""
        jobs, nodes = len(self.workload), self.platform.nodes
        dates = dates_told(self.workload)
        when = f", {dates}" if dates else ""
        return f"{self.workload.name}: {jobs:,} jobs on {nodes:,} {self.unit}{where}{when}"


@dataclass(frozen=True)
class RecordedPast:
    """What really happened, as a schedule, with remarks; empty if it was not recorded."""

    schedules: tuple[Schedule, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, scenario: Scenario) -> RecordedPast:
        """Return the past of the jobs, if the trace recorded it."""
        from schedlab.analysis import as_it_was, as_it_was_notes

        found = as_it_was(scenario.workload, scenario.platform)
        if found is None:
            return cls()
        return cls((found,), tuple(as_it_was_notes(found, scenario.workload)))


@dataclass(frozen=True, kw_only=True)
class Policies:
    """The policies to run, and the rules of the runs."""

    policy: Annotated[
        list[str],
        Option(
            metavar="P",
            help="A policy such as easy, sjf+easy or easy:depth=100; may be given several times. "
            "All names: schedlab policies.",
            rich_help_panel=_RUNS,
        ),
    ]
    tick: Annotated[
        int,
        Option(
            metavar="S",
            min=0,
            help="Interval in seconds at which events are seen; 0: at once.",
            rich_help_panel=_RUNS,
        ),
    ] = 0
    depth: Annotated[
        int | None,
        Option(
            metavar="D",
            min=1,
            help="Number of waiting jobs that a pass considers. Default: all.",
            rich_help_panel=_RUNS,
        ),
    ] = None
    place: Annotated[
        str,
        Option(
            metavar="PLACE",
            help="Which nodes a job takes if more have room than it needs: lowest, best-fit, "
            "worst-fit, weight, switches, fgd or random.",
            rich_help_panel=_RUNS,
        ),
    ] = "lowest"
    failures: Annotated[
        str | None,
        Option(
            metavar="FILE|up=T,repair=T",
            help="Nodes fail: as a CSV file lists them (node,at_s,repair_s), or drawn with these "
            "mean times, such as up=30d,repair=4h; shape= (Weibull) and seed= may follow.",
            rich_help_panel=_RUNS,
        ),
    ] = None
    preempt: Annotated[
        str | None,
        Option(
            metavar="tier|qos:NAME=N|srpt",
            help="Waiting jobs take the nodes of running ones: of lower partition tiers, of lower "
            "QOS, or of those with more time left.",
            rich_help_panel=_RUNS,
        ),
    ] = None
    when_preempted: Annotated[
        Literal["requeue", "cancel", "suspend"],
        Option(
            metavar="requeue|cancel|suspend",
            help="What happens to a preempted job.",
            rich_help_panel=_RUNS,
        ),
    ] = "requeue"
    allow_overrun: Annotated[
        bool,
        Option(
            "--allow-overrun",
            help="Let jobs run beyond their request; otherwise they are killed at it.",
            rich_help_panel=_RUNS,
        ),
    ] = False

    def names(self) -> list[str]:
        """Return the full names, checked: every one known and none twice."""
        from schedlab.policies import find_policy
        from schedlab.sim.places import find_place

        find_place(self.place)
        preemption_of(self.preempt, self.when_preempted)
        names = [find_policy(text, depth=self.depth).name for text in self.policy]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f'policy "{name}" is given twice')
        return names

    def run(
        self, scenario: Scenario, seed: int, predict: PredictorLike | None = None
    ) -> Iterator[Schedule]:
        """Yield one schedule per policy; ``predict`` is for policies that name no predictor."""
        from schedlab.cli.progress import progress
        from schedlab.sim import simulate

        failures = failures_of(self.failures, scenario.workload, scenario.platform)
        for policy in self.policy:
            with progress(f"simulating {policy}") as report:
                schedule = simulate(
                    scenario.workload,
                    scenario.platform,
                    policy,
                    tick=self.tick,
                    depth=self.depth,
                    kill_at_request=not self.allow_overrun,
                    predict=predict,
                    whole_nodes=scenario.whole_nodes,
                    place=self.place,
                    failures=failures,
                    preemption=preemption_of(self.preempt, self.when_preempted),
                    seed=seed,
                    progress=report,
                )
            yield schedule
