"""train_many(): the policies of several training files, learnt side by side."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from threading import Event

import torch

from schedlab.atomic import atomic_write
from schedlab.errors import ParameterError
from schedlab.policies.learned.own_agent import numbers_and_actions
from schedlab.processors import usable_processors
from schedlab.rl.environments import environment_of
from schedlab.rl.model_file import TrainedModel, write_model
from schedlab.rl.stacked.evaluation import Evaluation
from schedlab.rl.stacked.member import Member, can_be_stacked
from schedlab.rl.stacked.population import Population
from schedlab.rl.train import BEST, EVALUATIONS, Trained
from schedlab.rl.trainers import device_and_precision
from schedlab.rl.training_config import MODEL, TrainingConfig

PARTS = 4
"""Populations at a time on a GPU; each has a thread and a stream of its own."""
MOST = 512
"""The largest number of networks that are trained at a time; others follow later."""
_BYTES_FREE = 0.7
"""Share of a GPU's free memory for rollouts; the rest is for networks and their results."""

Job = tuple[TrainingConfig, Path]
Numbered = tuple[int, Trained]
"""A training's number among the jobs, and its result."""
Placed = tuple[Member, int]
Progress = Callable[[int], None]
"""Called with the steps that all trainings have done so far."""


def train_many(
    jobs: Sequence[Job], progress: Progress | None = None
) -> Iterator[tuple[int, Trained]]:
    """Train all jobs; yield each one's number and result when its files are written.

    Each result is, up to rounding, that of ``train`` for the job alone with the engine ``gpu``. The
    networks are evaluated at the end only, and there are no checkpoints.

    Args:
        jobs: trainings that ``can_be_stacked``, each with its folder.
        progress: called now and then.
    """
    for config, _ in jobs:
        if not can_be_stacked(config):
            raise ParameterError("this training cannot go side by side with others")
    numbered = [(Member.of(config), number) for number, (config, _) in enumerate(jobs)]
    done = _Done(progress)
    shapes = list(dict.fromkeys(repr(member.shape) for member, _ in numbered))
    for shape in shapes:
        alike = [each for each in numbered if repr(each[0].shape) == shape]
        alike.sort(key=lambda each: each[0].order)
        for part in _parts(alike):
            yield from _train(part, [folder for _, folder in jobs], done)


class _Done:
    """Adds up the steps of all trainings, and reports them."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._before = progress, 0
        self.populations: list[Population] = []

    def tell(self) -> None:
        if self._progress is not None:
            self._progress(self._before + sum(each.steps for each in self.populations))

    def end(self) -> None:
        self._before += sum(each.steps for each in self.populations)
        self.populations = []


def _parts(alike: list[Placed]) -> Iterator[list[Placed]]:
    """Yield parts, each with as many networks as fit into memory at once."""
    room = MOST
    if torch.cuda.is_available():
        free, _ = torch.cuda.mem_get_info()
        numbers = 2 * max(_rollout_numbers(member) for member, _ in alike)
        room = max(1, min(MOST, int(_BYTES_FREE * free / numbers)))
    for first in range(0, len(alike), room):
        yield alike[first : first + room]


def _rollout_numbers(member: Member) -> int:
    """Count the numbers that a rollout has to keep."""
    return int(
        member.n_steps * member.config.train.envs * (numbers_and_actions(member.settings)[0] + 32)
    )


def _balanced(members: list[Placed], count: int) -> list[list[Placed]]:
    """Return up to ``count`` parts that take about equally long; most stacks stay whole."""
    stacks = [list(found) for _, found in groupby(members, key=lambda each: each[0].order[:2])]
    stacks.sort(key=_work, reverse=True)
    parts: list[list[Placed]] = [[] for _ in range(count)]
    for stack in stacks:
        min(parts, key=_work).extend(stack)
    while True:
        light, heavy = min(parts, key=_work), max(parts, key=_work)
        if _work(heavy) - _work(light) <= 2 * _work(heavy[-1:]):
            return [part for part in parts if part]
        light.append(heavy.pop())


def _work(members: Sequence[Placed]) -> float:
    """Estimate how long members take, in units of acting; small minibatches take longer."""
    return float(sum(4 + each.n_epochs * (1 + 1000 / each.batch_size) for each, _ in members))


def _train(numbered: list[Placed], folders: list[Path], done: _Done) -> Iterator[Numbered]:
    """Train networks of one shape."""
    train = numbered[0][0].config.train
    device, precision = device_and_precision(train)
    cores = train.threads or usable_processors()
    # While one part steps its environments, the others compute; small kernels share the device.
    parts = _balanced(numbered, PARTS if torch.device(device).type == "cuda" else 1)
    threads = max(1, cores // len(parts))
    stop = Event()
    populations, evaluations = list[Population](), list[Evaluation]()
    for part in parts:
        population = Population([member for member, _ in part], device, precision, threads)
        population.prepare()
        populations.append(population)
        evaluations.append(Evaluation(population, threads))
    done.populations = populations
    with ThreadPoolExecutor(len(parts)) as pool:
        running = [
            pool.submit(_learn, population, evaluation, stop, done)
            for population, evaluation in zip(populations, evaluations, strict=True)
        ]
        try:
            results = [each.result() for each in running]
        except BaseException:
            stop.set()
            raise
    done.end()
    models = [
        _model(population, place, found)
        for population, evaluated in zip(populations, results, strict=True)
        for place, found in enumerate(evaluated)
    ]
    # The populations have their members in another order.
    numbers = {id(member): number for member, number in numbered}
    placed = [numbers[id(member)] for each in populations for member in each.members]
    with ThreadPoolExecutor(cores) as pool:
        written = pool.map(_write, [folders[number] for number in placed], models)
        yield from zip(placed, written, strict=True)


def _learn(
    population: Population, evaluation: Evaluation, stop: Event, done: _Done
) -> list[dict[str, float]]:
    """Let a population learn to the end, and evaluate it."""
    torch.set_flush_denormal(True)  # of this thread; see schedlab.rl.train
    if population.device.type == "cuda":
        population.stream = torch.cuda.Stream(population.device)
    with torch.cuda.stream(population.stream):
        while not population.finished:
            if stop.is_set():
                return []
            population.step()
            if population.steps // population.batch.size % 1000 == 0:
                done.tell()
        done.tell()
        return evaluation.run()


def _model(population: Population, place: int, found: dict[str, float]) -> TrainedModel:
    member, steps = population.members[place], population.learnt(place)
    policy = population.networks.policy(place)
    return TrainedModel(
        member.config,
        environment_of(member.config.environment).time_scale_s(member.episodes),
        steps,
        {"steps_learnt": steps, **found},
        {name: each.numpy() for name, each in policy.items()},
    )


def _write(folder: Path, model: TrainedModel) -> Trained:
    folder.mkdir(parents=True, exist_ok=True)
    found = dict(model.results)
    with atomic_write(folder / EVALUATIONS) as path, path.open("w", newline="") as file:
        writer = csv.DictWriter(file, found)
        writer.writeheader()
        writer.writerow(found)
    write_model(folder / MODEL, model)
    with atomic_write(folder / BEST) as path:
        shutil.copyfile(folder / MODEL, path)
    return Trained(folder / MODEL, model.steps, found)
