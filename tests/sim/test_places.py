"""Places: which nodes a job takes where more nodes have room than it needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.described_machines import Drawn, described
from tests.sim.test_against_reference import Policy, simulate_natively
from tests.sim.test_machines import ON_ANY_MACHINE

from schedlab import Simulation, simulate
from schedlab.audit.feasible import find_violations
from schedlab.errors import ParameterError, SchedlabError
from schedlab.platform import Cluster, NodeGroup, NodeType, Platform
from schedlab.sim import Schedule
from schedlab.sim.places import PLACES as TABLE
from schedlab.testing import ReferenceSchedule, reference_simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import SimulationOptions, examples, simulation_options, workloads
from schedlab.workload import Workload

PLACES = ("best-fit", "worst-fit", "weight", "switches", "random", "random:seed=3")
FEW = st.lists(st.sampled_from(ON_ANY_MACHINE), min_size=4, max_size=4)


def with_weights_and_switches(platform: Platform) -> Platform:
    """Return the same nodes, each a group of its own with some weight, on three switches."""
    clusters = []
    for cluster in platform.clusters:
        types = [group.type for group in cluster.groups for _ in range(group.nodes)]
        groups = tuple(
            NodeGroup(kind, count=1, weight=at * 7 % 4, switch=("a", "", "b")[at * 5 % 3])
            for at, kind in enumerate(types)
        )
        clusters.append(replace(cluster, groups=groups))
    return replace(platform, clusters=tuple(clusters))


def check_places(drawn: Drawn, options: SimulationOptions, policy: Policy, place: str) -> None:
    """Compare all columns of both simulators, including the nodes of each job."""
    platform, workload = drawn
    native = simulate_natively(policy, platform, workload, options, place=place)
    plain = reference_simulate(workload, platform, policy, **options, place=place)
    assert ReferenceSchedule.of(native) == plain, (
        f"{policy.name} with {options} and {place} on {platform}:\n{workload.frame().to_dicts()}"
    )


@examples(80)
@given(
    drawn=described(max_jobs=12),
    options=simulation_options(),
    policies=FEW,
    place=st.sampled_from(PLACES),
)
def test_the_core_agrees_with_the_reference(
    drawn: Drawn, options: SimulationOptions, policies: list[Policy], place: str
) -> None:
    """They agree on starts that follow from other choices of nodes, under every kind of plan."""
    platform, workload = drawn
    for policy in policies:
        check_places((with_weights_and_switches(platform), workload), options, policy, place)


@examples(60)
@given(
    workload=workloads(8),
    options=simulation_options(),
    policies=FEW,
    place=st.sampled_from(PLACES),
)
def test_one_pool_of_equal_nodes_has_places_too(
    workload: Workload, options: SimulationOptions, policies: list[Policy], place: str
) -> None:
    """Only weights, switches or chance tell these whole nodes apart."""
    platform = with_weights_and_switches(Platform.homogeneous(8))
    for policy in policies:
        check_places((platform, workload), options, policy, place)


@examples(40)
@given(workload=workloads(8), place=st.sampled_from(("weight", "switches", "random")))
def test_equal_nodes_start_jobs_at_the_same_times_wherever_they_are(
    workload: Workload, place: str
) -> None:
    """On one pool the choice of nodes changes no start."""
    platform = with_weights_and_switches(Platform.homogeneous(8))
    for policy in ("fcfs", "easy", "conservative"):
        lowest = simulate(workload, platform, policy)
        made = simulate(workload, platform, policy, place=place)
        assert made.start_s.tolist() == lowest.start_s.tolist()
        assert find_violations(made) == []


def nodes_of(schedule: Schedule, job: int) -> list[int]:
    """Return the numbers of the nodes of a job."""
    ranges = schedule.named_nodes().of(job)
    return [node for first, last in ranges for node in range(first, last + 1)]


def unlike() -> Platform:
    """Return a node of eight cores, one of two and one of four."""
    sizes = (8, 2, 4)
    groups = tuple(NodeGroup(NodeType(f"n{each}", cores=each), count=1) for each in sizes)
    return Platform((Cluster("c", groups),))


@pytest.mark.parametrize(("place", "node"), [("lowest", 0), ("best-fit", 1), ("worst-fit", 0)])
def test_a_job_goes_where_its_place_says(place: str, node: int) -> None:
    """For a job of one core, two cores are the best fit and eight cores the worst."""
    workload = jobs((0, 1, 10, 10)).replace(cores_per_node=[1])
    assert nodes_of(simulate(workload, unlike(), "easy", place=place), 0) == [node]
    whole = simulate(workload, unlike(), "easy", place=place, whole_nodes=True)
    assert nodes_of(whole, 0) == [node]


def test_the_lowest_weight_goes_first() -> None:
    """Nodes 2 and 3 weigh less than 0 and 1."""
    groups = (NodeGroup(count=2, weight=5), NodeGroup(count=2, weight=1))
    platform = Platform((Cluster("c", groups),))
    made = simulate(jobs((0, 3, 10, 10)), platform, "easy", place="weight")
    assert nodes_of(made, 0) == [0, 2, 3]


def test_a_job_stays_on_as_few_switches_as_it_can() -> None:
    """Jobs of two, three and five nodes take the second switch, the third, and two switches.

    The switches have 4, 2 and 3 nodes.
    """
    groups = tuple(NodeGroup(count=n, switch=s) for n, s in ((4, "a"), (2, "b"), (3, "c")))
    platform = Platform((Cluster("c", groups),))

    def taken(nodes: int) -> list[int]:
        made = simulate(jobs((0, nodes, 10, 10)), platform, "easy", place="switches")
        return nodes_of(made, 0)

    assert taken(2) == [4, 5]
    assert taken(3) == [6, 7, 8]
    assert taken(5) == [0, 1, 2, 3, 4]
    assert taken(8) == [0, 1, 2, 3, 4, 6, 7, 8]


def test_a_seed_gives_other_nodes() -> None:
    """The same seed gives the same node; with 100 nodes, another seed rarely does."""
    workload = jobs((0, 1, 10, 10))
    found = {
        seed: nodes_of(simulate(workload, 100, "easy", place=f"random:seed={seed}"), 0)
        for seed in (1, 2, 1)
    }
    assert found[1] != found[2]
    again = simulate(workload, 100, "easy", place="random:seed=1")
    assert nodes_of(again, 0) == found[1]


def test_the_place_is_recorded_forked_and_saved(tmp_path: object) -> None:
    """A run that goes on from a fork or a file chooses nodes as the run that was not stopped."""
    workload = jobs((0, 2, 10, 10), (5, 2, 10, 10), (6, 3, 4, 4))
    whole = simulate(workload, 9, "easy", place="random:seed=4")
    assert whole.provenance["place"] == "random:seed=4"
    stopped = Simulation(workload, 9, "easy", place="random:seed=4").run(3)
    path = f"{tmp_path}/state.zip"
    stopped.save(path)
    for each in (stopped.fork(), Simulation.load(path), stopped):
        made = each.run().schedule()
        assert [nodes_of(made, job) for job in range(3)] == [
            nodes_of(whole, job) for job in range(3)
        ]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("bestfit", 'unknown place "bestfit"; did you mean "best-fit"?'),
        ("random:sead=1", 'unknown parameter of random: "sead"; did you mean "seed"?'),
        ("random:seed=x", 'place "random": seed: "x"'),
        ("weight:seed=1", 'unknown parameter of weight: "seed"'),
        ("switches", 'place "switches": platform "platform" names no switch'),
        (3, "place is 3; must be a name such as best-fit"),
    ],
)
def test_a_place_that_is_none_is_told(place: str, said: str) -> None:
    """One sentence says what is wrong."""
    with pytest.raises(SchedlabError) as told:
        simulate(jobs((0, 1, 10, 10)), 4, "easy", place=place)
    assert said in str(told.value)


@pytest.mark.parametrize(
    "policy", ["easy-one-reserved:reservation=pinned", "wrsabf-ar:reservation=pinned"]
)
def test_policies_that_name_nodes_themselves_take_no_place(policy: str) -> None:
    """Their plans name the lowest-numbered nodes."""
    with pytest.raises(ParameterError, match="takes the lowest-numbered nodes of its plan"):
        simulate(jobs((0, 1, 10, 10)), 4, policy, place="random")
    run = Simulation(jobs((0, 1, 10, 10)), 4, "easy", place="random")
    with pytest.raises(ParameterError, match="takes the lowest-numbered nodes of its plan"):
        run.use(policy)


def test_every_place_is_on_the_pages() -> None:
    """Every place on offer is documented."""
    docs = Path(__file__).parents[2] / "docs"
    for page in ("guides/policies.md", "design/semantics.md"):
        text = (docs / page).read_text(encoding="utf-8")
        assert [name for name in TABLE if f"| `{name}`" not in text] == []
