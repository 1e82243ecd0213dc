"""Small evolutions: the same by seed, also after a resume, and compared on held-out episodes."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cma")

from schedlab.errors import InputError, MissingExtraError, ParameterError, SchedlabError
from schedlab.evolve import RULES, Arena, EvolveSettings, Scene, WeightedObjective, evolve
from schedlab.evolve.evolution import Evolution
from schedlab.evolve.record import record_path
from schedlab.evolve.scene import draw
from schedlab.platform import Platform
from schedlab.policies.evolved import read_priority
from schedlab.workload.episodes import GeneratedEpisodes


def scene(jobs: int, *transforms: str, nodes: int = 16) -> Scene:
    """Return a scene with this many jobs of Lublin's model per episode."""
    source = GeneratedEpisodes(f"lublin:nodes={nodes}", jobs, transforms)
    return Scene(source, Platform.homogeneous(nodes))


SCENES = [scene(20, "load=1.2:16")]
SMALL = EvolveSettings(
    generations=4, round=3, population=4, episodes=3, pool=6, validation=4, test=5, seed=7
)


def arena(*metrics: str, **rules: int | str) -> Arena:
    """Return an arena for these metrics and rules."""
    objective = WeightedObjective.parse(metrics or ["bounded_slowdown"])
    return Arena(objective=objective, **rules)  # type: ignore[arg-type]


def test_absolute_compares_means_and_not_episode_with_episode() -> None:
    """Halving the long queue of one episode outweighs doubling the short one of another."""
    values, under_easy = np.array([[2.0], [50.0]]), np.array([[1.0], [100.0]])
    assert WeightedObjective.parse(["bounded_slowdown"]).cost(values, under_easy) == (2 + 0.5) / 2
    absolute = WeightedObjective.parse(["bounded_slowdown"], absolute=True)
    assert absolute.cost(values, under_easy) == 52 / 101


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    """Neither the number of threads nor other use of NumPy's global generator matters."""
    evolve(SCENES, arena(threads=1), tmp_path / "one.toml", SMALL, workload="w")
    np.random.seed(5)
    evolve(SCENES, arena(threads=2), tmp_path / "two.toml", SMALL, workload="w")
    one, two = ((tmp_path / name).read_text() for name in ("one.toml", "two.toml"))
    assert one == two
    evolve(SCENES, arena(), tmp_path / "other.toml", replace(SMALL, seed=8), workload="w")
    assert read_priority(tmp_path / "other.toml") != read_priority(tmp_path / "one.toml")


def test_an_interruption_leaves_the_best_so_far_and_no_trace_in_the_result(tmp_path: Path) -> None:
    """A resumed search replays the measured generations, so its random draws are the same."""
    straight, halting = tmp_path / "straight.toml", tmp_path / "halting.toml"
    evolve(SCENES, arena(), straight, SMALL)

    def interrupt(done: int, total: int, note: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evolve(SCENES, arena(), halting, SMALL, progress=interrupt)
    assert read_priority(halting).head
    evolve(SCENES, arena(), halting, SMALL, resume=True)
    assert halting.read_text() == straight.read_text()


def test_one_policy_is_tuned_for_several_machines(tmp_path: Path) -> None:
    """Each scene has its turn in learning and in the test, on its own machine."""
    wide = scene(20, "load=1.2:32", nodes=32)
    drawn = draw([*SCENES, wide], 4, np.random.default_rng(0))
    assert [episode.platform.nodes for episode in drawn] == [16, 32, 16, 32]
    done = evolve([*SCENES, wide], arena(), tmp_path / "both.toml", SMALL)
    assert done.priority.provenance["nodes"] == [16, 32]
    assert done.comparison.evolved.shape == (SMALL.test, 1)


def test_a_finished_evolution_can_be_prolonged(tmp_path: Path) -> None:
    """With more generations it goes on as if they had been asked for at first."""
    short, long = tmp_path / "short.toml", tmp_path / "long.toml"
    evolve(SCENES, arena(), short, replace(SMALL, generations=2))
    evolve(SCENES, arena(), short, SMALL, resume=True)
    evolve(SCENES, arena(), long, SMALL)
    assert short.read_text() == long.read_text()


def test_a_reach_is_searched_for_if_asked_for(tmp_path: Path) -> None:
    """It is one more number, in the unit of the queue's weights; rules begin without one."""
    settings = replace(SMALL, max_priority_gap=True)
    count = settings.pool + settings.validation
    evolution = Evolution(arena(), settings, draw(SCENES, count, np.random.default_rng(0)))
    evolution.step()
    assert evolution._mean().max_priority_gap is not None
    assert max(map(abs, evolution._mean().head.values())) == 1
    evolve(SCENES, arena(), tmp_path / "halting.toml", replace(settings, generations=2))
    evolve(SCENES, arena(), tmp_path / "halting.toml", settings, resume=True)
    evolve(SCENES, arena(), tmp_path / "straight.toml", settings)
    halting, straight = (tmp_path / f"{name}.toml" for name in ("halting", "straight"))
    assert halting.read_text() == straight.read_text()


def test_the_result_is_never_worse_than_the_best_start_in_validation() -> None:
    """The search begins at the best simple rule and keeps the best mean that it has seen."""
    count = SMALL.pool + SMALL.validation
    evolution = Evolution(arena(), SMALL, draw(SCENES, count, np.random.default_rng(0)))
    costs = [evolution.best_cost]
    for _ in range(3):
        evolution.step()
        costs.append(evolution.best_cost)
    assert costs == sorted(costs, reverse=True)
    validated = [each.validation for each in evolution.generations]
    assert costs[-1] == min(costs[0], *validated)


def test_the_file_tells_how_it_came_about(tmp_path: Path) -> None:
    """A site that adopts a policy wants to know what it was tuned for, and what it gained."""
    goals = arena("0.3*utilisation", "0.7*wait:percentile=95", predict="last-two")
    done = evolve(SCENES, goals, tmp_path / "p.toml", SMALL, workload="small")
    kept = read_priority(done.path)
    assert kept == done.priority
    assert kept.name == "0.3*utilisation + 0.7*wait:percentile=95 on small"
    assert kept.provenance["metrics"] == ["0.3*utilisation", "0.7*wait:percentile=95"]
    assert kept.provenance["after"] == pytest.approx(done.comparison.means())
    assert kept.provenance["before"] == pytest.approx(done.comparison.means("fcfs+easy"))
    assert set(kept.provenance["versions"]) == {"schedlab", "cma", "numpy", "python"}
    assert max(map(abs, kept.head.values())) == 1.0


def test_the_comparison_is_paired(tmp_path: Path) -> None:
    """Every rule plays the evolved policy's episodes; differences are taken episode by episode."""
    done = evolve(SCENES, arena(), tmp_path / "p.toml", SMALL)
    (goal,) = done.comparison.goals
    compared = list(done.comparison.compared_rules(goal))
    assert {rule.policy for rule in compared} == set(RULES)
    assert [rule.mean for rule in compared] == sorted(rule.mean for rule in compared)
    for rule in compared:
        values = done.comparison.rules[rule.policy]
        assert rule.difference == pytest.approx((done.comparison.evolved - values).mean())
        low, high = rule.interval
        assert low <= rule.difference <= high


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (["utilization"], 'did you mean "utilisation"?'),
        (["0*wait"], 'the weight is "0"; must be a number > 0'),
        (["much*wait"], 'the weight is "much"; must be a number > 0'),
        (["wait", "2*wait"], 'metric "wait" is given twice'),
        ([""], '"" names no metric'),
        ([], "an evolution needs a metric"),
    ],
)
def test_wrong_metrics_get_one_sentence(metrics: list[str], sentence: str) -> None:
    """Metrics are checked before anything is drawn."""
    with pytest.raises(SchedlabError) as caught:
        WeightedObjective.parse(metrics)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"generations": 0}, "generations is 0; must be >= 1"),
        ({"population": 3}, "population is 3; must be >= 4"),
        ({"episodes": 7}, "needs a pool as large; it has 6"),
        ({"step": 0.0}, "step is 0; must be > 0"),
        ({"test_share": 1.0}, "test_share is 1.0; must be above 0 and below 1"),
    ],
)
def test_wrong_sizes_get_one_sentence(changes: dict[str, float], sentence: str) -> None:
    """Sizes are checked before anything is drawn."""
    with pytest.raises(ParameterError) as caught:
        replace(SMALL, **changes)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


def test_a_metric_must_have_something_to_improve(tmp_path: Path) -> None:
    """No job waits on an empty machine, and nothing is known of power."""
    with pytest.raises(ParameterError, match=r"wait.* is 0 under FCFS \+ EASY: there is nothing"):
        evolve([scene(1)], arena("wait"), tmp_path / "p.toml", SMALL)
    with pytest.raises(ParameterError, match=r"energy.* has no value in some of the episodes"):
        evolve(SCENES, arena("energy"), tmp_path / "p.toml", SMALL)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only evolving a policy needs it; an evolved policy runs without it."""
    monkeypatch.setitem(sys.modules, "cma", None)
    monkeypatch.delitem(sys.modules, "schedlab.evolve.evolution")
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[evolve\]"'):
        importlib.import_module("schedlab.evolve.evolution")


def test_an_evolution_is_not_overwritten_or_mixed_with_another(tmp_path: Path) -> None:
    """The file may hold the work of hours."""
    out = tmp_path / "p.toml"
    evolve(SCENES, arena(), out, SMALL)
    with pytest.raises(ParameterError, match="exists already; resume that evolution"):
        evolve(SCENES, arena(), out, SMALL)
    with pytest.raises(
        InputError, match="was made with seed = 7, not 8; start again in another file"
    ):
        evolve(SCENES, arena(), out, replace(SMALL, seed=8), resume=True)
    with pytest.raises(InputError, match="was made with metrics"):
        evolve(SCENES, arena("wait"), out, SMALL, resume=True)
    with pytest.raises(InputError, match="was made with jobs"):
        evolve([scene(21)], arena(), out, SMALL, resume=True)
    record_path(out).write_text('{"kind": "other"}')
    with pytest.raises(InputError, match="is damaged, or no record of an evolution"):
        evolve(SCENES, arena(), out, SMALL, resume=True)
    record_path(out).unlink()
    with pytest.raises(InputError, match="no such file"):
        evolve(SCENES, arena(), out, SMALL, resume=True)
