"""Problems in files: they are read back as written, and bad files are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.coalloc import Problem, generate_problem, read_problem, write_problem
from schedlab.errors import InputError
from schedlab.testing.coalloc.strategies import problems

HEAD = 'slots = 3\nresources = ["A", "B"]\n'
JOB = '[[job]]\nname = "a"\nresources = ["A"]\nslots = 1\n'


@settings(deadline=None)
@given(problems(), st.text(min_size=1).filter(str.strip), st.sampled_from(("toml", "json")))
def test_a_problem_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, name: str, suffix: str
) -> None:
    """The round trip keeps every name, value and deadline."""
    path = tmp_path_factory.mktemp("round") / f"problem.{suffix}"
    named = replace(problem, name=name)
    write_problem(named, path)
    assert read_problem(path) == named


def test_where_a_problem_comes_from_is_kept(tmp_path: Path) -> None:
    """The seed is in the file."""
    write_problem(generate_problem(20, seed=7), tmp_path / "a.toml")
    assert "seed 7" in read_problem(tmp_path / "a.toml").origin


def test_a_file_without_a_name_names_the_problem(tmp_path: Path) -> None:
    """The problem takes the file's name, and missing keys of a job have their defaults."""
    path = tmp_path / "night.toml"
    path.write_text(HEAD + JOB)
    problem = read_problem(path)
    assert problem.name == "night"
    assert (problem.jobs[0].value, problem.jobs[0].release, problem.jobs[0].deadline) == (
        1,
        1,
        None,
    )


BAD = {
    "not TOML": ("a.toml", "slots = = 3", "a.toml:1: not TOML"),
    "not JSON": ("a.json", "{\n,}", "a.json:2: not JSON"),
    "a list": ("a.json", "[]", "holds no object"),
    "empty": ("a.toml", "", "is empty"),
    "no slots": ("a.toml", 'resources = ["A"]\n' + JOB, "lacks the key slots"),
    "text for slots": ("a.toml", HEAD.replace("3", '"three"') + JOB, "must be a whole number"),
    "no job": ("a.toml", HEAD, "the problem has no job"),
    "one job in single brackets": ("a.toml", HEAD + JOB.replace("[[job]]", "[job]"), "double"),
    "unknown key": ("a.toml", HEAD + JOB + "vallue = 3\n", 'did you mean "value"'),
    "unknown section": ("a.toml", HEAD + JOB + "[machine]\n", "machine"),
    "unknown resource": ("a.toml", HEAD + JOB.replace('["A"]', '["C"]'), 'job "a"'),
    "job without resources": ("a.toml", HEAD + JOB.replace('["A"]', "[]"), "at least one"),
    "job without length": ("a.toml", HEAD + JOB.replace("slots = 1", "slots = 0"), "slots is 0"),
    "value not a number": ("a.json", json.dumps({"slots": 1, "resources": ["A"], "job": [
        {"name": "a", "resources": ["A"], "slots": 1, "value": float("nan")}]}), "be a number"),
    "same name twice": ("a.toml", HEAD + JOB + JOB, '2 jobs are named "a"'),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_refused_with_one_sentence(what: str, tmp_path: Path) -> None:
    """The sentence names the file and what is wrong in it."""
    name, text, sentence = BAD[what]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_problem(path)
    assert str(path) in str(refused.value)
    assert sentence in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """The error is the same as for every other missing file."""
    with pytest.raises(InputError, match="no such file"):
        read_problem(tmp_path / "absent.toml")
