"""A policy that tries candidates before it decides."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import Schedule, Simulation, _core, simulate
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.platform import Cluster, NodeGroup, NodeType, Platform
from schedlab.policies import find_policy
from schedlab.policies.lookahead import lookahead
from schedlab.testing import check_policy
from schedlab.testing.check_policy import other_futures
from schedlab.testing.instances import jobs
from schedlab.testing.reference.lookahead import Settings, decide
from schedlab.testing.reference.weight_search import WeightSearch
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload, apply, generate

NODES = 8
OFTEN = "lookahead:period=60,forks=4,patience=5m"
EVOLVING = f"{OFTEN},evolve=4"
CANDIDATES = ("predicted", "fcfs", "sjf", "saf")
MANY = (*CANDIDATES, "snf", "lnf", "ljf", "laf")


def busy(count: int = 400, seed: int = 1) -> Workload:
    """Return jobs of several users that fill 64 nodes."""
    drawn = apply(
        generate("lublin:nodes=64", count, seed=seed),
        ["set_run=random:0.5", "load=1.1:64"],
        seed=seed,
    )
    return drawn.replace(user=np.random.default_rng(seed).integers(0, 6, count))


def ran_by(schedule: Schedule) -> list[str]:
    """Return the candidates that were chosen, in order."""
    return [each["candidate"] for each in schedule.provenance["switches"]]


@examples(60)
@given(
    workload=workloads(NODES, 20),
    now_s=st.integers(0, 300),
    forks=st.integers(1, 6),
    patience_s=st.sampled_from((10, 86_400)),
    budget=st.sampled_from((1, 60, 20_000)),
    search_and_evolve=st.sampled_from(((0, 0), (3, 0), (64, 0), (0, 1), (0, 2), (0, 7), (3, 4))),
    candidates=st.sampled_from((CANDIDATES, MANY)),
    review=st.booleans(),
    seed=st.integers(0, 3),
)
def test_a_decision_is_that_of_the_plain_reference(
    workload: Workload,
    now_s: int,
    forks: int,
    patience_s: int,
    budget: int,
    search_and_evolve: tuple[int, int],
    candidates: tuple[str, ...],
    review: bool,
    seed: int,
) -> None:
    """The same draws, the same forks, the same sums, the same choice."""
    simulation = Simulation(workload, NODES, "easy").run(now_s)
    if not len(simulation.queue):
        return
    settings = Settings(
        candidates,
        period_s=20,
        forks=forks,
        patience_s=patience_s,
        review=review,
        search=search_and_evolve[0],
        evolve=search_and_evolve[1],
        budget=budget,
        seed=seed,
    )
    decides_as_the_reference(simulation, settings)


def decides_as_the_reference(simulation: Simulation, settings: Settings) -> None:
    """Compare sums, choice, moved jobs and base."""
    base, *others = settings.candidates
    policy = lookahead(
        base="auto" if settings.review else base,
        candidates=others,
        period=settings.period_s,
        forks=settings.forks,
        patience=settings.patience_s,
        search=settings.search,
        evolve=settings.evolve,
        arrivals=settings.arrivals_s,
        budget=settings.budget,
        seed=settings.seed,
    )
    chosen, _, _, sums, moved, base = policy.rehearse(simulation._simulator)
    expected = decide(simulation, settings)
    for name, own in zip(expected.sums, sums, strict=True):
        assert own == pytest.approx(expected.sums[name])
    assert (chosen, moved, base) == (expected.chosen, expected.moved, expected.base)


@examples(40)
@given(
    workload=workloads(NODES, 20),
    now_s=st.integers(90, 300),
    exact=st.booleans(),
    arrivals_s=st.sampled_from((None, None, 20_000, 86_400, 0)),
    seed=st.integers(0, 3),
)
def test_jobs_come_in_the_forks_as_in_the_plain_reference(
    workload: Workload, now_s: int, exact: bool, arrivals_s: int | None, seed: int
) -> None:
    """Jobs of the last days come again; a second of the draws is a quarter of an hour here."""
    times = ("submit_s", "request_s", "run_s")
    longer = workload.replace(**{name: workload[name] * 900 for name in times})
    longer = longer.replace(cancel_after_s=np.full(len(longer), -1))
    if exact:
        longer = longer.replace(run_s=longer["request_s"])
    simulation = Simulation(longer, NODES, "easy").run(now_s * 900)
    if not len(simulation.queue):
        return
    settings = Settings(CANDIDATES, forks=5, arrivals_s=arrivals_s, budget=300, seed=seed)
    decides_as_the_reference(simulation, settings)


def test_jobs_that_should_run_alike_go_by_arrival() -> None:
    """The last digit of the mean run times of their users does not change the order.

    All users' jobs use 7/10 of the request, so the shortest request goes first.
    """
    draw = np.random.default_rng(0)
    requests = draw.choice([700, 900, 1100], 120).tolist()
    workload = jobs(*[(300 * i, 1, each, each * 7 // 10) for i, each in enumerate(requests)])
    workload = workload.replace(user=draw.integers(0, 5, 120))
    predicted = simulate(workload, 2, "lookahead:doubt=inf,patience=inf")
    assert np.array_equal(predicted.start_s, simulate(workload, 2, "sjf+easy").start_s)


@pytest.mark.parametrize("place", [60, 140])
def test_weights_are_evolved_on_the_past_as_in_the_plain_reference(place: int) -> None:
    """There are many jobs in the past, of which some waited."""
    workload = busy(150)
    simulation = Simulation(workload, 64, "easy").run(int(workload["submit_s"][place]))
    decides_as_the_reference(simulation, Settings(CANDIDATES[:2], forks=2, evolve=6, seed=place))


@pytest.mark.parametrize("place", [60, 100, 140])
def test_the_base_is_that_of_the_best_record_as_in_the_plain_reference(place: int) -> None:
    """Many jobs have waited, and the candidates would have served them differently."""
    workload = busy(150)
    simulation = Simulation(workload, 64, "easy").run(int(workload["submit_s"][place]))
    decides_as_the_reference(simulation, Settings(CANDIDATES, forks=2, review=True))


@pytest.mark.parametrize(
    ("each", "tried", "forks"), [(1, 3, 4), (16, 4, 4), (28, 6, 4), (40, 6, 6)]
)
def test_with_a_long_queue_only_the_best_by_record_are_tried(
    each: int, tried: int, forks: int
) -> None:
    """With a budget of `each` rollouts, three to six of eight are tried, all in the same forks."""
    workload = busy(150)
    simulation = Simulation(workload, 64, "easy").run(int(workload["submit_s"][140]))
    budget = each * len(simulation.queue)
    settings = Settings(MANY, forks=8, review=True, budget=budget)
    decides_as_the_reference(simulation, settings)
    counts = [len(sums) for sums in decide(simulation, settings).sums.values()]
    assert sorted(counts) == [0] * (8 - tried) + [forks] * tried


def test_a_rule_with_a_better_record_becomes_the_base() -> None:
    """The order of ``predicted`` counts nodes too little here.

    It puts wide jobs of 1,000 s before narrow ones of 3,000 s, which use a 21st of the area. SAF
    puts the narrow ones first, and the sum of all slowdowns is smaller.
    """
    draw = np.random.default_rng(0)
    wide, narrow = 250, 4000
    submit_s = draw.integers(0, 3 * 86_400, wide + narrow)
    nodes, run_s = np.repeat([64, 1], (wide, narrow)), np.repeat([1000, 3000], (wide, narrow))
    rows = sorted(zip(submit_s.tolist(), nodes.tolist(), run_s.tolist(), strict=True))
    workload = jobs(*[(at_s, count, took_s * 10 // 9, took_s) for at_s, count, took_s in rows])
    own, saf, predicted = (
        simulate(workload, 64, f"lookahead:candidates=saf,doubt=inf{base}")
        for base in ("", ",base=saf", ",base=predicted")
    )
    changes = own.provenance["bases"]
    assert [each["candidate"] for each in changes] == ["saf"]
    assert 86_400 <= changes[0]["time_s"] < 2 * 86_400
    assert own.provenance["counters"]["changes of the base"] == 1
    sums = [float((each.wait_s / each.workload["run_s"]).sum()) for each in (saf, own, predicted)]
    assert sums == sorted(sums), "from the change on it is as good as SAF"
    assert not predicted.provenance["bases"]


def test_it_keeps_the_rules_of_policies() -> None:
    """No job starts too early or twice, no node has two jobs, and no decision sees the future."""
    check_policy(OFTEN)


@examples(40)
@given(
    workload=workloads(NODES, 20),
    now_s=st.integers(0, 300),
    policy=st.sampled_from((OFTEN, EVOLVING)),
)
def test_what_is_decided_stays_when_the_future_changes(
    workload: Workload, now_s: int, policy: str
) -> None:
    """Starts up to now depend on nothing that happens later."""
    schedule = simulate(workload, NODES, policy)
    known = schedule.started & (schedule.start_s <= now_s)
    for future in other_futures(schedule, now_s):
        other = simulate(future, NODES, policy)
        assert np.array_equal(other.start_s[known], schedule.start_s[known])


def test_a_seed_gives_the_same_run_again() -> None:
    """Another seed draws other run times, and decides differently somewhere."""
    workload = busy()
    first, again, other = (
        simulate(workload, 64, f"{EVOLVING},seed={seed}").start_s for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_threads_change_nothing() -> None:
    """Threads share the work, not the draws."""
    workload = busy(150)
    one, two = (simulate(workload, 64, f"{OFTEN},threads={count}") for count in (1, 2))
    assert np.array_equal(one.start_s, two.start_s)


def test_a_run_in_parts_is_the_same_run() -> None:
    """A fork has a memory and weights of its own."""
    workload = busy()
    whole = simulate(workload, 64, EVOLVING)
    middle = int(np.median(workload["submit_s"]))
    simulation = Simulation(workload, 64, EVOLVING).run(middle)
    fork = simulation.fork()
    simulation.run()
    assert np.array_equal(fork.run().schedule().start_s, whole.start_s)
    assert np.array_equal(simulation.schedule().start_s, whole.start_s)


def test_it_tells_every_switch() -> None:
    """The schedule records each switch from one candidate to another, with the expected gain."""
    schedule = simulate(busy(), 64, OFTEN)
    told = schedule.provenance["switches"]
    assert len(told) == schedule.provenance["counters"]["switches"] > 0
    assert all(one != other for one, other in pairwise(["predicted", *ran_by(schedule)]))
    assert all(
        each["gain"] > each["error"] / 2 for each in told if each["candidate"] != "predicted"
    )


def test_endless_doubt_stays_with_the_base() -> None:
    """With endless doubt it does not matter what the forks say."""
    workload = busy()
    doubting = simulate(workload, 64, "lookahead:base=saf,doubt=inf,patience=inf")
    assert ran_by(doubting) == []
    assert np.array_equal(doubting.start_s, simulate(workload, 64, "saf+easy").start_s)


def test_no_candidate_but_one_is_that_one() -> None:
    """A rollout that compares SJF with itself finds no gain."""
    workload = busy()
    alone = simulate(workload, 64, "lookahead:base=sjf,candidates=sjf,patience=inf")
    assert np.array_equal(alone.start_s, simulate(workload, 64, "sjf+easy").start_s)


def test_the_oldest_job_goes_first_when_its_patience_ends() -> None:
    """Without patience SAF lets a wide job wait until all others have gone."""
    narrow = [(place * 10, 3, 30, 30) for place in range(200)]
    workload = jobs((5, 8, 1000, 100), *narrow)
    wide = workload["nodes"] == 8
    base = "lookahead:base=saf,doubt=inf,patience="
    waits = [
        int(simulate(workload, 8, f"{base}{patience}").wait_s[wide][0])
        for patience in ("inf", "5m")
    ]
    assert waits[0] > 1500
    assert 300 < waits[1] < 1000


@pytest.mark.parametrize("more", [1.2, 1.5])
def test_the_guard_holds_where_easy_keeps_it(more: float) -> None:
    """A plan in which no job waits longer is always available."""
    workload = busy(300, seed=2)
    guard_s = int(simulate(workload, 64, "easy").wait_s.max() * more)
    free, guarded = (
        simulate(workload, 64, f"lookahead:patience=inf{guard}")
        for guard in ("", f",guard={guard_s}s")
    )
    assert guarded.wait_s.max() <= guard_s < free.wait_s.max()
    assert guarded.provenance["counters"]["seconds under the guard"] > 0


@pytest.mark.parametrize(("most", "chosen"), [(1.5, "sjf"), (1.1, "fcfs")])
def test_fairness_is_a_constraint(most: float, chosen: str) -> None:
    """SJF helps the user of 30 short jobs, but the worst-off user waits 1.2 times as long.

    With FCFS the short jobs wait 2,450 s on average, with SJF the long one waits 3,000 s.
    """
    workload = jobs((0, 1, 60, 60), (1, 1, 1000, 1000), *[(1, 1, 100, 100)] * 30)
    workload = workload.replace(user=[3, 1, *[2] * 30])
    policy = lookahead(
        base="fcfs", candidates=("sjf",), metric="wait", period=86_400, fairness=most
    )
    simulation = Simulation(workload, 1, "easy").run(1)
    assert policy.rehearse(simulation._simulator)[0] == chosen


def test_it_runs_where_jobs_share_nodes() -> None:
    """Its forks share cores and memory as the machine does: it decides, and every job runs."""
    jobs_of_parts = generate("shared:nodes=4,gpu_jobs=0,load=1.5", 200, seed=1)
    nodes = NodeGroup(NodeType(cores=64, memory_bytes=256 << 30), count=4)
    found = simulate(jobs_of_parts, Platform((Cluster("c", (nodes,)),)), f"{OFTEN},metric=wait")
    assert (found.wait_s >= 0).all()
    assert len(ran_by(found)) > 1
    together = (found.start_s[:, None] <= found.start_s) & (found.start_s < found.end_s[:, None])
    assert together.sum(axis=0).max() > 4, "jobs share the four nodes"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("horizon=0", "horizon is .*at least 1s"),
        ("period=0", "period is .*at least 1s"),
        ("candidates=+", "must name candidates"),
        ("metric=joy", "must be bounded_slowdown or wait or longest_wait"),
        ("evolve=65", "evolve is .*<= 64"),
        ("forks=0", "forks is .*>= 1"),
        ("forks=1001", "forks is .*<= 1000"),
        ("doubt=-1", "doubt is .*>= 0"),
        ("fairness=0.5", "fairness is .*>= 1"),
        ("guard=-1", "guard is"),
    ],
)
def test_parameters_that_cannot_be(text: str, message: str) -> None:
    """One sentence says what is allowed."""
    with pytest.raises(ParameterError, match=message):
        find_policy(f"lookahead:{text}")


def test_an_unknown_candidate_gets_a_suggestion() -> None:
    """Orders that learn cannot be candidates either."""
    with pytest.raises(UnknownNameError, match=r'unknown candidate of lookahead "saff".*saf'):
        find_policy("lookahead:candidates=saff+sjf")
    with pytest.raises(UnknownNameError, match="wrsa"):
        find_policy("lookahead:base=wrsa")


@examples(60)
@given(
    seed=st.integers(0, 2**64 - 1),
    generations=st.lists(
        st.lists(st.sampled_from((0.0, 1.0, 2.5, 7.0)), min_size=1, max_size=9), max_size=8
    ),
)
def test_weights_are_searched_as_in_the_plain_reference(
    seed: int, generations: list[list[float]]
) -> None:
    """The same draws and the same steps, whatever the scores."""
    own, plain = _core.WeightSearch(seed), WeightSearch(seed)
    for scores in generations:
        tried, expected = own.ask(len(scores)), plain.ask(len(scores))
        assert np.array(tried) == pytest.approx(np.array(expected))
        own.tell(tried, scores)
        plain.tell(expected, scores)
        assert list(own.mean) == pytest.approx(plain.mean)


def test_the_search_finds_the_best_weights_and_follows_them() -> None:
    """The best weights move to (1, -1) in the middle of the search."""
    search = _core.WeightSearch(1)
    for best in ((0.0, 0.5), (1.0, -1.0)):
        for _ in range(60):
            tried = search.ask(8)
            search.tell(tried, [(x - best[0]) ** 2 + (y - best[1]) ** 2 for x, y in tried])
        assert search.mean == pytest.approx(best, abs=0.15)
