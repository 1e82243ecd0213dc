"""The experiment file: one small dataclass per section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.experiments.coallocation.measures import AnswerMeasure, find_measure
from schedlab.experiments.coallocation.section import CoallocSection, SolverSection, read_coalloc
from schedlab.experiments.digest import outside_code
from schedlab.experiments.model_section import ModelSection
from schedlab.experiments.other_simulators import (
    check_elsewhere,
    is_drawn,
    is_elsewhere,
    with_model_in,
)
from schedlab.experiments.picture_section import PictureSection
from schedlab.metrics import Metric, find_metric
from schedlab.policies import find_policy
from schedlab.policies.find import with_file_in
from schedlab.sections import build, build_each, parse_toml, reject_unknown_keys
from schedlab.sim.places import LOWEST, find_place
from schedlab.workload import find_generator, parse_transform
from schedlab.workload.catalog import catalogued
from schedlab.workload.readers import ReadOptions, Source

_SHARED = ("experiment", "picture", "published", "quick")
_SIMULATED = ("workload", "variant", "platform", "model")


def _check_transforms(texts: Iterable[str]) -> None:
    for text in texts:
        parse_transform(text)


def _unique(what: str, names: Iterable[object]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ParameterError(f'{what} given twice: "{name}"')
        seen.add(name)


@dataclass(frozen=True, kw_only=True)
class WorkloadSection:
    """``[[workload]]``: jobs from a file, from a trace of the catalog, or from a generator."""

    name: str
    file: str | None = None
    catalog: str | None = None
    generate: str | None = None
    jobs: int | None = None
    transforms: tuple[str, ...] = ()
    window_jobs: int | None = None
    window_starts: tuple[int, ...] = ()
    nodes: int | None = None
    procs: str = "allocated"
    cancelled: str = "drop"

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.file, self.catalog, self.generate)) != 1:
            raise ParameterError("give one of file, catalog and generate")
        if (self.jobs is None) != (self.generate is None):
            raise ParameterError("jobs belongs to generate, and generate needs it")
        for key in ("jobs", "window_jobs", "nodes"):
            if getattr(self, key) == 0:
                raise ParameterError(f"{key} is 0; must be >= 1")
        if self.window_starts and self.window_jobs is None:
            raise ParameterError("window_starts needs window_jobs, the size of a window")
        if self.generate is not None:
            find_generator(self.generate)
        if self.catalog is not None:
            catalogued(self.catalog)
        _check_transforms(self.transforms)
        self.read_options()

    def window(self, seed: int) -> range | None:
        """Return the places of the jobs that a seed stands for; None for all jobs."""
        if self.window_jobs is None:
            return None
        if self.window_starts and seed >= len(self.window_starts):
            raise ParameterError(
                f'workload "{self.name}" has {len(self.window_starts)} window_starts; '
                f"there is none for seed {seed}"
            )
        first = self.window_starts[seed] if self.window_starts else seed * self.window_jobs
        return range(first, first + self.window_jobs)

    def read_options(self) -> ReadOptions:
        """Return the options with which its file is read."""
        return ReadOptions(procs=self.procs, cancelled=self.cancelled)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class VariantSection:
    """``[[variant]]``: transforms applied to every workload, after its own."""

    name: str
    transforms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_transforms(self.transforms)


@dataclass(frozen=True, kw_only=True)
class PlatformSection:
    """``[[platform]]``: a machine that every workload is run on."""

    name: str
    nodes: int | None = None
    file: str | None = None
    cluster: str | None = None
    cores: bool = False

    def __post_init__(self) -> None:
        if (self.nodes is None) == (self.file is None) or self.nodes == 0:
            raise ParameterError("give nodes (>= 1) or file")
        for key in ("cluster", "cores"):
            if getattr(self, key) and self.file is None:
                raise ParameterError(f"{key} needs file, which describes it")


@dataclass(frozen=True, kw_only=True)
class PolicySection:
    """An entry of ``policies``: a policy, its name in tables, and its rules."""

    name: str
    policy: str
    tick: int = 0
    depth: int | None = None
    kill_at_request: bool = True
    place: str = LOWEST

    def __post_init__(self) -> None:
        find_place(self.place)
        if not is_elsewhere(self.policy):
            find_policy(self.policy, depth=self.depth)
            return
        check_elsewhere(self.policy)
        if self.tick or self.depth is not None or self.place != LOWEST:
            raise ParameterError(f'policy "{self.policy}" takes no tick, depth or place')

    @property
    def drawn(self) -> bool:
        """Whether another seed gives another schedule of the same jobs."""
        return is_drawn(self.policy)

    def rules(self) -> dict[str, Any]:
        """Return the arguments of a ``SimulationTask``."""
        rules = {key: value for key, value in asdict(self).items() if key != "name"}
        if self.place == LOWEST:  # results from before there were places stay valid
            del rules["place"]
        return rules

    def determined_by(self) -> dict[str, Any]:
        """Return the values that determine results."""
        return {**self.rules(), "code": outside_code([self.policy])}


@dataclass(frozen=True, kw_only=True)
class PublishedSection:
    """``[published]``: the table to compare with, and where it was published."""

    file: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class QuickSection:
    """``[quick]``: how much of the experiment ``--quick`` runs.

    Args:
        jobs: maximum number of jobs of each workload.
        seeds: number of seeds, from the first on.
        steps: maximum number of steps of each training.
        models: patterns of the names of models in tables, with what they are trained on.
    """

    jobs: int = 500
    seeds: int = 1
    steps: int = 10_000
    models: tuple[str, ...] = ("*",)

    def __post_init__(self) -> None:
        if not (self.jobs and self.seeds and self.steps):
            raise ParameterError("jobs, seeds and steps must be >= 1")


@dataclass(frozen=True, kw_only=True)
class ExperimentSection:
    """``[experiment]`` without its policies."""

    name: str
    metrics: tuple[str, ...]
    title: str = ""
    seeds: tuple[int, ...] = (0,)
    relative_to: str | None = None

    def __post_init__(self) -> None:
        if not self.metrics or not self.seeds:
            raise ParameterError("metrics and seeds must not be empty")
        _unique("metric", self.metrics)
        _unique("seed", self.seeds)


@dataclass(frozen=True)
class Experiment:
    """What is run: workloads × variants × platforms × policies × seeds.

    With ``coalloc``, which says what problems are drawn, it is problems × seeds × solvers instead.
    """

    path: Path
    text: str
    about: ExperimentSection
    policies: tuple[PolicySection, ...] = ()
    workloads: tuple[WorkloadSection, ...] = ()
    variants: tuple[VariantSection, ...] = (VariantSection(name="original"),)
    platforms: tuple[PlatformSection, ...] = ()
    models: tuple[ModelSection, ...] = ()
    coalloc: CoallocSection | None = None
    solvers: tuple[SolverSection, ...] = ()
    pictures: tuple[PictureSection, ...] = ()
    published: PublishedSection | None = None
    quick: QuickSection = QuickSection()
    jobs_limit: int | None = None
    steps_limit: int | None = None
    models_limit: tuple[str, ...] = ("*",)

    def __post_init__(self) -> None:
        of_policies = ("policies", "workloads", "variants")
        for kind in of_policies if self.coalloc is None else ("solvers",):
            if not getattr(self, kind):
                raise ParameterError(f"an experiment without {kind} runs nothing")
        for kind in (*of_policies, "platforms", "models", "solvers", "pictures"):
            _unique(f"name among the {kind}", [each.name for each in getattr(self, kind)])
        for metric in self.about.metrics:
            self.find_metric(metric)
        names = [each.name for each in self.policies] + [each.name for each in self.solvers]
        if self.about.relative_to is not None and self.about.relative_to not in names:
            raise UnknownNameError("policy in relative_to", self.about.relative_to, names)
        sized = next((each.name for each in self.workloads if each.nodes is not None), None)
        if self.platforms and sized is not None:
            raise ParameterError(f'workload "{sized}" has nodes, but there are [[platform]]s')
        for model in self.models:
            model.check_names(f"{w.name}/{v.name}" for w in self.workloads for v in self.variants)
        for picture in self.pictures:
            picture.check_names(self.about.metrics, names, [model.name for model in self.models])

    def find_metric(self, name: str) -> Metric | AnswerMeasure:
        """Return the metric of that name, which measures schedules or answers of solvers."""
        return find_metric(name) if self.coalloc is None else find_measure(name)

    def reduced(self) -> Experiment:
        """Return a small version to try out: few jobs per workload, few seeds, short trainings."""
        quick = self.quick
        about = replace(self.about, seeds=self.about.seeds[: quick.seeds])
        return replace(
            self,
            about=about,
            jobs_limit=quick.jobs,
            steps_limit=quick.steps,
            models_limit=quick.models,
        )


def read_experiment(path: str | Path) -> Experiment:
    """Return the experiment that a TOML file describes."""
    source = Source.load(path)
    text = source.decoded()
    document = parse_toml(path, text)
    try:
        return _experiment(document, source.path, text)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _experiment(document: Mapping[str, Any], path: Path, text: str) -> Experiment:
    if "coalloc" in document:
        return _of_solvers(document, path, text)
    reject_unknown_keys(document, (*_SHARED, *_SIMULATED, "coalloc"), "the experiment")
    for section in ("experiment", "workload"):
        if section not in document:
            raise InputError(f"has no [{section}]")
    about, policies = _about(document["experiment"], path.parent)
    settings = _shared(document)
    if "variant" in document:
        settings["variants"] = build_each(VariantSection, document["variant"], "[[variant]]")
    if "platform" in document:
        settings["platforms"] = build_each(PlatformSection, document["platform"], "[[platform]]")
    if "model" in document:
        settings["models"] = _models(document["model"], document["experiment"])
    workloads = build_each(WorkloadSection, document["workload"], "[[workload]]")
    return Experiment(path, text, about, policies, workloads, **settings)


def _of_solvers(document: Mapping[str, Any], path: Path, text: str) -> Experiment:
    reject_unknown_keys(document, (*_SHARED, "coalloc"), "an experiment with [coalloc]")
    if "experiment" not in document:
        raise InputError("has no [experiment]")
    about = build(ExperimentSection, document["experiment"], "[experiment]")
    coalloc, solvers = read_coalloc(document["coalloc"])
    settings = _shared(document)
    return Experiment(path, text, about, coalloc=coalloc, solvers=solvers, **settings)


def _shared(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections that every kind of experiment may have."""
    settings: dict[str, Any] = {}
    if "picture" in document:
        settings["pictures"] = build_each(PictureSection, document["picture"], "[[picture]]")
    if "published" in document:
        settings["published"] = build(PublishedSection, document["published"], "[published]")
    if "quick" in document:
        settings["quick"] = build(QuickSection, document["quick"], "[quick]")
    return settings


_RULES = ("tick", "depth", "kill_at_request", "place")
"""Keys of ``[experiment]`` that hold for every policy without its own."""


def _models(given: Any, experiment: Mapping[str, Any]) -> tuple[ModelSection, ...]:
    """Return the ``[[model]]`` sections, which have no depth and no place.

    Models see as many jobs as they were trained to see, on the lowest-numbered nodes.
    """
    shared = {key: experiment[key] for key in ("tick", "kill_at_request") if key in experiment}
    if isinstance(given, list):
        given = [{**shared, **each} if isinstance(each, Mapping) else each for each in given]
    return build_each(ModelSection, given, "[[model]]")


def _about(section: Any, folder: Path) -> tuple[ExperimentSection, tuple[PolicySection, ...]]:
    """Read ``[experiment]`` and its policies, to which its rules apply."""
    if not isinstance(section, Mapping):
        raise InputError("write [experiment] once, with single brackets")
    shared = {key: section[key] for key in _RULES if key in section}
    given = section.get("policies", [])
    if not isinstance(given, list):
        raise InputError(f"[experiment]: policies is {given!r}; must be a list")
    rest = {key: section[key] for key in section if key not in (*_RULES, "policies")}
    return build(ExperimentSection, rest, "[experiment]"), tuple(
        build(PolicySection, {**shared, **_policy(each, folder)}, "[experiment]: policies")
        for each in given
    )


def _policy(given: Any, folder: Path) -> Mapping[str, Any]:
    if isinstance(given, str):
        given = {"policy": given}
    if not isinstance(given, Mapping):
        raise InputError(f"[experiment]: policies has {given!r}; must be a text or a table")
    policy = given.get("policy")
    if not isinstance(policy, str):
        return given
    found = with_model_in(folder, with_file_in(folder, policy))
    return {"name": policy, **given, "policy": found}
