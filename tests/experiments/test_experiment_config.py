"""The experiment file: what is read, and how mistakes are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.experiments import Experiment, read_experiment
from schedlab.policies.evolved import Priority, write_priority

Describe = Callable[..., Experiment]


def test_the_sections_are_read(two_by_two: Path) -> None:
    """A policy given as text is its own name; one given as a table may have another."""
    experiment = read_experiment(two_by_two)
    assert [policy.name for policy in experiment.policies] == ["fcfs", "EASY"]
    assert [policy.depth for policy in experiment.policies] == [None, 50]
    assert experiment.variants[1].transforms == ("load=1.5:32",)
    assert experiment.about.seeds == (1, 2)


def test_rules_of_the_experiment_hold_for_every_policy_without_its_own(describe: Describe) -> None:
    """What all policies share is written once."""
    rules = 'tick = 60\ndepth = 10\nplace = "random"'
    experiment = describe(("[experiment]", f"[experiment]\n{rules}"))
    assert [(each.tick, each.depth) for each in experiment.policies] == [(60, 10), (60, 50)]
    assert [each.rules()["place"] for each in experiment.policies] == ["random", "random"]


MISTAKES = {
    "section": ("[[variant]]", "[[varaint]]", 'did you mean "variant"?'),
    "key": ("jobs = 60", "job = 60", '"small" "job"; did you mean "jobs"?'),
    "rule": ("relative_to", "relativ_to", 'did you mean "relative_to"?'),
    "type": ("jobs = 60", 'jobs = "60"', "jobs is '60'; must be a whole number >= 0"),
    "list": ('["wait", "makespan"]', '"wait"', "must be a list of texts"),
    "policy": ('policy = "easy"', 'policy = "eazy"', 'did you mean "easy"?'),
    "place": (
        'policy = "easy"',
        'policy = "easy", place = "best"',
        'unknown place "best"; did you mean "best-fit"?',
    ),
    "metric": ('"makespan"', '"makspan"', 'did you mean "makespan"?'),
    "metric twice": ('"makespan"', '"wait"', 'metric given twice: "wait"'),
    "transform": ("load=0.5:32", "lood=0.5:32", '[[variant]] "light": unknown transform "lood"'),
    "generator": ("lublin:", "lubin:", 'did you mean "lublin"?'),
    "relative to": ('= "fcfs"', '= "EAZY"', 'did you mean "EASY"?'),
    "two sources": ("jobs = 60", 'jobs = 60\nfile = "a.swf"', "one of file, catalog and generate"),
    "catalog": (
        'generate = "lublin:nodes=32"\njobs = 60',
        'catalog = "RICC-2010"',
        'did you mean "RICC-2010-2"?',
    ),
    "no jobs": ("jobs = 60", "", "generate needs it"),
    "names": ('"heavy"', '"light"', 'name among the variants given twice: "light"'),
    "no metrics": ('["wait", "makespan"]', "[]", "metrics and seeds must not be empty"),
    "missing key": ('name = "heavy"', "", "[[variant]] lacks the key name"),
    "single brackets": ("[[workload]]", "[workload]", "[[workload]] with double brackets"),
    "not TOML": ("jobs = 60", "jobs = ", "two.toml:13: not TOML"),
    "platform": ("[[variant]]", "[[platform]]", 'key or section of [[platform]] "light"'),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_names_the_file_and_the_key(what: str, describe: Describe) -> None:
    """A typo must not pass silently, nor cost a search."""
    old, new, sentence = MISTAKES[what]
    with pytest.raises(InputError) as caught:
        describe((old, new))
    assert "two.toml" in str(caught.value)
    assert sentence in str(caught.value)


def test_nodes_and_platforms_exclude_each_other(describe: Describe) -> None:
    """Otherwise one of the two would be ignored."""
    with pytest.raises(InputError, match=r'workload "small" has nodes'):
        describe(("[[workload]]", '[[platform]]\nname = "big"\nnodes = 64\n\n[[workload]]'))


def test_a_reduced_experiment_has_few_jobs_and_seeds(describe: Describe) -> None:
    """``--quick`` tries everything out, in little time."""
    quick = describe(("[[workload]]", "[quick]\njobs = 20\n\n[[workload]]")).reduced()
    assert quick.jobs_limit == 20
    assert quick.about.seeds == (1,)


def test_files_of_policies_are_looked_for_beside_the_experiment(tmp_path: Path) -> None:
    """An experiment can be run from anywhere, and tables name the policy as the file does."""
    write_priority(tmp_path / "short.toml", Priority("short", {"log_request": 1.0}, {}))
    file = tmp_path / "experiment.toml"
    file.write_text(
        '[experiment]\nname = "e"\nmetrics = ["wait"]\npolicies = ["easy", "evolved:short.toml"]\n'
        '[[workload]]\nname = "w"\ngenerate = "lublin:nodes=8"\njobs = 5\nnodes = 8\n'
    )
    policies = read_experiment(file).policies
    assert [each.name for each in policies] == ["easy", "evolved:short.toml"]
    assert policies[1].policy == f"evolved:{tmp_path / 'short.toml'}"
