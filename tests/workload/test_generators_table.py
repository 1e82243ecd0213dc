"""Generators by name, as on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.services.processor_time import processor_time_below

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.workload import GENERATORS, Workload, find_generator, generate
from schedlab.workload.generators import Bernoulli, Lublin


class OneByOne:
    """A user's own generator: a one-second job every second."""

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Return the jobs, without any random draw."""
        count, ones = np.arange(jobs), np.ones(jobs)
        columns = {"job_id": count, "submit_s": count, "nodes": ones, "request_s": ones}
        return Workload({**columns, "run_s": ones})


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator_in_the_table_works(name: str) -> None:
    """It gives the jobs asked for, reproducibly, with a provenance that is plain JSON."""
    workload = generate(name, 100, seed=1)
    assert len(workload) == 100
    assert workload == generate(name, 100, seed=1)
    assert json.loads(json.dumps(workload.provenance))[-1]["seed"] == 1


def test_parameters_as_text() -> None:
    """The settings reach the model; names may be written in capitals as in the papers."""
    assert find_generator("lublin:nodes=256,typed=true") == Lublin(typed=True).for_nodes(256)
    assert find_generator("bernoulli:load=1.3") == Bernoulli(1.3)
    assert generate("WL1", 10) == generate("wl1", 10)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("lublin:nodes=many", 'lublin: nodes: "many" is not a whole number'),
        ("lublin:typed=maybe", '"maybe" is neither true nor false'),
        ("bernoulli:load=-1", "load is -1.0; must be above 0"),
    ],
)
def test_bad_parameters_say_what_is_allowed(text: str, reason: str) -> None:
    """The error is one sentence with the generator, the parameter and the value."""
    with pytest.raises(ParameterError, match=reason):
        find_generator(text)


def test_unknown_names_suggest_the_nearest() -> None:
    """This holds for generators and for their parameters."""
    with pytest.raises(UnknownNameError, match='did you mean "lublin"'):
        find_generator("lubin")
    with pytest.raises(UnknownNameError, match='did you mean "nodes"'):
        find_generator("lublin:node=3")


def test_generators_from_outside_need_no_registration() -> None:
    """package.module:Class is accepted wherever a name is."""
    assert len(generate(f"{__name__}:OneByOne", 5)) == 5
    with pytest.raises(ParameterError, match="no method generate"):
        find_generator("json:dumps")


@pytest.mark.slow
def test_a_million_jobs_take_seconds() -> None:
    """The model is vectorised: under 5 s even on a slow machine, typed or not."""
    for text in ("lublin", "lublin:typed=true", "wl1:daily_cycle=true"):
        with processor_time_below(30):
            generate(text, 1_000_000)
