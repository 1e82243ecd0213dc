"""The gate: a human allows a policy to steer, or stops it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.operate.gate import Gate, GateAnswer, hash_of


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """The gate of a new loop."""
    return Gate(tmp_path)


def test_only_who_knows_the_code_can_let_a_policy_steer(gate: Gate) -> None:
    """An answer with another code is thrown away."""
    code = gate.ask("saf")
    assert gate.heard(hash_of(code)) is None
    gate.answer(GateAnswer(True, "mallory", "00000000"))
    assert gate.heard(hash_of(code)) is None
    gate.answer(GateAnswer(True, "ann", gate.code()))
    answer = gate.heard(hash_of(code))
    assert answer is not None
    assert (answer.yes, answer.who) == (True, "ann")


def test_the_code_is_for_the_account_of_the_loop_only(gate: Gate, tmp_path: Path) -> None:
    """The file has no rights for others, and each question has its own code."""
    first = gate.ask("saf")
    assert (tmp_path / "question.json").stat().st_mode & 0o777 == 0o600
    assert gate.ask("sjf") != first


def test_an_old_answer_does_not_count_for_a_new_question(gate: Gate) -> None:
    """An answer counts once, and only for its own question."""
    old = gate.ask("saf")
    gate.answer(GateAnswer(True, "ann", old))
    new = gate.ask("sjf")
    assert gate.heard(hash_of(new)) is None
    gate.answer(GateAnswer(False, "ann", new))
    answer = gate.heard(hash_of(new))
    assert answer is not None
    assert not answer.yes
    assert gate.heard(hash_of(new)) is None
    with pytest.raises(InputError, match="nothing is asked"):
        gate.code()


@pytest.mark.parametrize("text", ["", "[1]", '"yes"', "{" * 100, '{"yes": "no"}', "x" * 20_000])
def test_whatever_lies_there_is_no_yes(text: str, gate: Gate, tmp_path: Path) -> None:
    """Others may write to the folder of answers."""
    code = gate.ask("saf")
    (tmp_path / "answers" / "answer.json").write_text(text)
    assert gate.heard(hash_of(code)) is None
    (tmp_path / "answers" / "answer.json").write_text(json.dumps({"yes": "true", "code": code}))
    answer = gate.heard(hash_of(code))
    assert answer is not None
    assert not answer.yes


def test_a_stop_needs_no_code(gate: Gate) -> None:
    """A stop is heard once."""
    gate.ask("saf")
    gate.stop("ben")
    assert gate.stopped_by() == "ben"
    assert gate.stopped_by() is None


def test_without_a_loop_nothing_can_be_said(tmp_path: Path) -> None:
    """An answer does not make the folder of a loop."""
    with pytest.raises(InputError, match="there is no loop at this site"):
        Gate(tmp_path / "operate").stop("ben")
