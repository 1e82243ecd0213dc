"""Workloads drawn from models."""

from __future__ import annotations

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import import_object, is_import_path, require_callable, split_parameters
from schedlab.units import require_whole
from schedlab.workload.arguments import number, switch, whole_number
from schedlab.workload.generators.aaic import Aaic
from schedlab.workload.generators.bernoulli import Bernoulli
from schedlab.workload.generators.generator import GeneratorEntry, WorkloadGenerator
from schedlab.workload.generators.lublin import WL1, WL2, Lublin, wl1, wl2
from schedlab.workload.generators.multi_cluster import MultiCluster
from schedlab.workload.generators.shared import Shared
from schedlab.workload.workload import Workload

__all__ = [
    "GENERATORS",
    "WL1",
    "WL2",
    "Aaic",
    "Bernoulli",
    "GeneratorEntry",
    "Lublin",
    "MultiCluster",
    "Shared",
    "WorkloadGenerator",
    "find_generator",
    "generate",
    "is_model",
]


def _lublin(
    *, nodes: int = 128, typed: bool = False, daily_cycle: bool = True, start_hour: float = 0
) -> Lublin:
    model = Lublin(typed=typed, daily_cycle=daily_cycle, start_hour=start_hour)
    return model.for_nodes(nodes)


GENERATORS: dict[str, GeneratorEntry] = {
    "lublin": GeneratorEntry(
        "Lublin and Feitelson's model of rigid parallel jobs (JPDC 2003).",
        _lublin,
        {"nodes": whole_number, "typed": switch, "daily_cycle": switch, "start_hour": number},
    ),
    "wl1": GeneratorEntry(
        "Takizawa's WL1: Lublin on 256 nodes, 80 % single-node jobs, requests up to 6 h.",
        wl1,
        {"daily_cycle": switch},
    ),
    "wl2": GeneratorEntry(
        "Takizawa's WL2: Lublin on 256 nodes, 20 % single-node jobs, requests up to 6 h.",
        wl2,
        {"daily_cycle": switch},
    ),
    "bernoulli": GeneratorEntry(
        "Casagrande's small grid: at most one arrival per time unit, 10 resources.",
        Bernoulli,
        {"load": number, "unit_s": whole_number},
    ),
    "aaic": GeneratorEntry(
        "A stand-in for AAIC's deep-learning jobs on 256 GPUs, after Takizawa and Takano.",
        Aaic,
        {"load": number},
    ),
    "multi-cluster": GeneratorEntry(
        "Equal clusters c1, c2, ...; a share of the jobs needs nodes of several at the same time.",
        MultiCluster,
        {
            "clusters": whole_number,
            "nodes": whole_number,
            "share": number,
            "span": whole_number,
            "load": number,
            "burst": number,
        },
    ),
    "shared": GeneratorEntry(
        "Jobs that share nodes: cores, memory and GPUs in round numbers, on 1,000 nodes.",
        Shared,
        {
            "nodes": whole_number,
            "cores": whole_number,
            "memory_gib": whole_number,
            "gpus": whole_number,
            "gpu_nodes": number,
            "gpu_jobs": number,
            "load": number,
            "users": whole_number,
            "daily_cycle": switch,
        },
    ),
}


def is_model(text: str) -> bool:
    """Return whether the text names a generator, and not a file."""
    return text.partition(":")[0].lower() in GENERATORS or is_import_path(text)


def find_generator(text: str) -> WorkloadGenerator:
    """Return the generator given as ``name``, ``name:key=value,...`` or ``package.module:object``.

    An object from outside is a generator, or a class that makes one without arguments.
    """
    name, _, rest = text.partition(":")
    entry = GENERATORS.get(name.lower())
    if entry is None:
        if is_import_path(text):
            return _outside(text)
        raise UnknownNameError("generator", name, GENERATORS)
    texts = split_parameters(rest, f"generator {name}")
    return entry.make(**{key: _setting(entry, name, key, texts[key]) for key in texts})


def generate(generator: str, jobs: int, *, seed: int = 0) -> Workload:
    """Generate jobs with the generator of that name, such as ``"lublin:nodes=256"``."""
    jobs, seed = require_whole("jobs", jobs), require_whole("seed", seed)
    return find_generator(generator).generate(jobs, seed)


def _setting(entry: GeneratorEntry, generator: str, key: str, text: str) -> object:
    if key not in entry.parameters:
        raise UnknownNameError(f"parameter of {generator}", key, entry.parameters)
    try:
        return entry.parameters[key](text)
    except ParameterError as error:
        raise ParameterError(f"generator {generator}: {key}: {error}") from None


def _outside(text: str) -> WorkloadGenerator:
    found = import_object("generator", text)
    if not hasattr(found, "generate"):
        raise ParameterError(f'"{text}" has no method generate(jobs, seed)')
    if isinstance(found, type):
        require_callable("generator", text, found)
    generator: WorkloadGenerator = found() if isinstance(found, type) else found
    return generator
