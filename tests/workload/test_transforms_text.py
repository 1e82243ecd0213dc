"""Transforms as text, as on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from schedlab.errors import ParameterError, SchedlabError, UnknownNameError, WorkloadError
from schedlab.workload import TRANSFORMS, Workload, apply, parse_transform


def ten_jobs() -> Workload:
    """Jobs 0 to 9, one every second, with all the columns the transforms ask for."""
    return Workload(
        {
            "job_id": np.arange(10),
            "submit_s": 5 + np.arange(10),
            "nodes": 1 + np.arange(10),
            "request_s": np.full(10, 1000),
            "run_s": np.full(10, 100),
            "status": np.ones(10),
            "user": 3 + np.arange(10),
            "partition": np.arange(10) % 3,
            "queue": np.arange(10) % 3,
        },
        labels={"partition": ["3", "batch", "large"], "queue": ["1", "normal", "low"]},
    )


def keep_even(workload: Workload) -> Workload:
    """A user's own transform."""
    return workload.take(workload["job_id"] % 2 == 0)


def keep_modulo(workload: Workload, text: str) -> Workload:
    """A user's own transform with a parameter."""
    return workload.take(workload["job_id"] % int(text) == 0)


def forgetful(workload: Workload) -> None:
    """A user's own transform that returns nothing."""


@pytest.mark.parametrize(
    "form", [form for e in TRANSFORMS.values() for form in e.form.split(" or ")]
)
def test_every_form_in_the_table_can_be_used(form: str) -> None:
    """Each form works exactly as it is written in the help."""
    refusals = {"resample=10000:weeks": "less than a week", "slice=1000:2000": "keeps none"}
    refusals["fill=1.3:6212"] = "asks for no GPU"
    if form in refusals:  # ten jobs are too few, and have no GPUs
        with pytest.raises(SchedlabError, match=refusals[form]):
            apply(ten_jobs(), [form])
    else:
        assert apply(ten_jobs(), [form]).provenance[-1]["step"] == form.partition("=")[0]


@pytest.mark.parametrize(
    "text", ["head=0", "tail=0", "slice=4:4", "window=1d:2d", "min_run=1d", "status=5"]
)
def test_a_transform_that_keeps_no_job_says_so(text: str) -> None:
    """No one simulates an empty workload on purpose."""
    with pytest.raises(WorkloadError, match=f'transform "{text}" keeps none of 10 jobs'):
        apply(ten_jobs(), [text])


@pytest.mark.parametrize(
    ("text", "job_ids"),
    [
        ("head=3", [0, 1, 2]),
        ("slice=2:4", [2, 3]),
        ("slice=:2", [0, 1]),
        ("slice=8:", [8, 9]),
        ("window=1s:3s", [1, 2]),
        ("window=9s:", [9]),
        ("users=3,7", [0, 4]),
        ("oversize=drop:4", [0, 1, 2, 3]),
    ],
)
def test_text_means_what_it_says(text: str, job_ids: list[int]) -> None:
    """The parameter reaches the function."""
    assert apply(ten_jobs(), [text])["job_id"].tolist() == job_ids


def test_transforms_are_applied_in_order_and_recorded() -> None:
    """Head of tail is not tail of head; provenance has the order, in plain JSON."""
    made = apply(ten_jobs(), ["tail=4", "head=1", "set_request=random:0.5"], seed=7)
    assert made["job_id"].tolist() == [6]
    assert [step["step"] for step in made.provenance] == ["tail", "head", "set_request"]
    assert json.loads(json.dumps(made.provenance))[-1]["seed"] == [7, 2]


def test_two_random_steps_draw_from_different_parts_of_the_seed() -> None:
    """Otherwise the accuracy of a job would tell which jobs were drawn."""
    twice = apply(ten_jobs(), ["set_run=random:0.5", "set_run=random:0.5"], seed=7)
    assert twice.provenance[0]["seed"] != twice.provenance[1]["seed"]
    assert apply(ten_jobs(), ["resample=50"], seed=1) == apply(ten_jobs(), ["resample=50"], seed=1)


def test_a_parsed_transform_is_a_function_of_workloads() -> None:
    """It can be kept and used again."""
    shorten = parse_transform("head=2")
    assert len(shorten(ten_jobs())) == 2


def test_unknown_transform_suggests_the_nearest() -> None:
    """A typing mistake must not pass silently."""
    with pytest.raises(UnknownNameError, match='unknown transform "haed"; did you mean "head"'):
        parse_transform("haed=3")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("head=x", r'"head=x": "x" is not a whole number >= 0 and <= 2\^53; write head=1000'),
        ("head", r'"" is not a whole number'),
        ("head=-1", r'"-1" is not a whole number'),
        ("slice=5", "has no colon; write slice=1000:2000"),
        ("slice=5:2", r'transform "slice=5:2": range 5:2'),
        ("window=1y:2y", '"1y" is not a duration'),
        ("set_request=often", '"often" is not a number'),
        ("set_request=2", "must be from 0.01 to 1"),
        ("set_request=normal:0.5", 'only "random" is'),
        ("status=done", "not a list of integers"),
        ("users=3,,7", "not a list of names"),
        ("load=0.9", "has no colon; write load=0.9:256"),
        ("oversize=drop", "write oversize=drop:1024"),
        ("oversize=bend:3", "use drop, clip or error"),
        ("resample=10:months", "use jobs or weeks"),
    ],
)
def test_bad_parameters_say_what_is_allowed(text: str, reason: str) -> None:
    """One sentence with the transform, the value and the right form."""
    with pytest.raises(ParameterError, match=reason):
        apply(ten_jobs(), [text])


def test_all_texts_are_checked_before_anything_is_done() -> None:
    """A mistake in the last step does not cost the time of the first."""
    with pytest.raises(UnknownNameError):
        apply(ten_jobs(), ["oversize=error:1", "nonsense"])


def test_transforms_from_outside_need_no_registration() -> None:
    """package.module:function is accepted wherever a name is, and is recorded."""
    made = apply(ten_jobs(), [f"{__name__}:keep_even"])
    assert made["job_id"].tolist() == [0, 2, 4, 6, 8]
    assert made.provenance[-1]["step"] == f"{__name__}:keep_even"
    assert len(apply(ten_jobs(), [f"{__name__}:keep_modulo=5"])) == 2


def test_mistakes_in_transforms_from_outside_are_told() -> None:
    """The error names what is missing or returns no workload."""
    with pytest.raises(ParameterError, match="no_such_module"):
        parse_transform("no_such_module:f")
    with pytest.raises(ParameterError, match="no_such_function"):
        parse_transform(f"{__name__}:no_such_function")
    with pytest.raises(SchedlabError, match="must return a Workload"):
        apply(ten_jobs(), [f"{__name__}:forgetful"])


def test_a_seed_is_an_integer_from_0_on() -> None:
    """Without this check, NumPy's error would be a traceback."""
    with pytest.raises(ParameterError, match=r"seed .*must be an integer >= 0"):
        apply(ten_jobs(), ["resample=3"], seed=-1)
