"""
The native core of schedlab: the simulator, its policies and fast readers.
"""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Combine(enum.Enum):
    """How utilities of parts make that of the whole."""

    SUM = 0
    """max-plus: total value, sum of starts"""

    WORST = 1
    """max-min: makespan"""

def min_fill(neighbours: Sequence[Sequence[int]], ranks: Sequence[int]) -> list[int]:
    """
    The order in which nodes are eliminated, always the one next that joins the fewest pairs of others.
    """

def util_table_float32(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: int, utility: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], int, bool]], children: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Sequence[int]]], combine: Combine, threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
    """
    The UTIL message of a node of a pseudo tree: for each combination of its separators' values the best utility of its subtree.
    """

def util_table_float64(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: int, utility: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], int, bool]], children: Sequence[tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Sequence[int]]], combine: Combine, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
    """
    The UTIL message of a node of a pseudo tree: for each combination of its separators' values the best utility of its subtree.
    """

def scan_numbers(text: bytes, columns: int, comment: str, max_bad: int = 20) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], list[tuple[int, str]], int]:
    """
    Reads lines of whitespace-separated numbers: (values by column, line number of each row, the first bad lines with the reason, number of bad lines).
    """

class Order:
    """The order in which waiting jobs are looked at: smaller scores first."""

    def __init__(self) -> None: ...

def make_order(name: str) -> Order | None:
    """The order of that name, or None."""

class WrsaOrder(Order):
    """The most accurate user first: descending WRSA + wait / ageing."""

    def __init__(self, beta: float = 0.3, ageing: float = float('inf')) -> None:
        """
        beta weighs a user's past, and waiting `ageing` seconds weighs as much as all accuracy.
        """

    def wrsa(self, user: int) -> float:
        """
        How accurate the user's requests have been: 1 before the first job has ended.
        """

def order_names() -> list[str]:
    """The names of the native orders."""

def make_linear_order(weights: Sequence[float]) -> Order:
    """
    The smallest sum of weight x feature first; one weight for each feature.
    """

def feature_names() -> list[str]:
    """What a linear order knows of a job, in their order."""

def make_network_order(linear: Sequence[float], hidden: Sequence[Sequence[float]], bias: Sequence[float], out: Sequence[float]) -> Order:
    """The smallest output first; weights by input, and by hidden unit."""

def network_job_inputs() -> list[str]:
    """What a network knows of a job."""

def network_queue_inputs() -> list[str]:
    """What a network knows of the queue."""

class Policy:
    """Decides at each pass which waiting jobs start."""

    def __init__(self) -> None: ...

    def clone(self) -> Policy:
        """Return a copy with all that it keeps between passes."""

    @property
    def order(self) -> Order:
        """the order of the queue; None means arrival"""

class NoBackfill(Policy):
    """Starts jobs in order; the first that does not fit blocks."""

    def __init__(self, order: Order, depth: int | None = None) -> None: ...

class Hold(enum.Enum):
    """What a reservation holds of nodes that jobs share."""

    shares = 0

    nodes = 1

class Conservative(Policy):
    """Promises every considered job a start; promises move only earlier."""

    def __init__(self, order: Order, depth: int | None = None, frozen: bool = False, oldest_first: bool = False) -> None: ...

class ConservativeRebuild(Policy):
    """Plans all considered jobs again, in order, at every pass."""

    def __init__(self, order: Order, depth: int | None = None, reserve: Hold = Hold.shares) -> None: ...

class EasyNodes(Policy):
    """EASY in which the head reserves named nodes, as Batsim's easy_bf does."""

    def __init__(self, order: Order, depth: int | None = None) -> None: ...

class AllReserved(Policy):
    """Plans the head, then all others in order; none moves another."""

    def __init__(self, order: Order, depth: int | None = None, reserve: Hold = Hold.shares) -> None: ...

class OneReserved(Policy):
    """Only the head's reservation is sacred; others may be pushed back."""

    def __init__(self, order: Order, depth: int | None = None, alpha: float = 1.5, frozen: bool = False, reserve: Hold = Hold.shares) -> None: ...

class Push(enum.Enum):
    """What becomes of plans in the way of a job that starts in a hole."""

    none = 0

    hole = 1

    cascade = 2

class Pinned(Policy):
    """
    Plans name nodes and are kept, until a job comes; the head's even then.
    """

    def __init__(self, order: Order, depth: int | None = None, push: Push = Push.none, alpha: float = 1.5) -> None: ...

class Easy(Policy):
    """Promises the head a start; others may start if they do not delay it."""

    def __init__(self, order: Order, depth: int | None = None, candidates: Order | None = None, max_priority_gap: float | None = None) -> None: ...

class SubmittedJob:
    """What is known of a job when it is submitted."""

    @property
    def job(self) -> int:
        """its place in the workload, its handle"""

    @property
    def nodes(self) -> int:
        """nodes it needs"""

    @property
    def request_s(self) -> int:
        """run time its user asked for"""

    @property
    def submit_s(self) -> int:
        """when it was submitted"""

    @property
    def user(self) -> int:
        """who submitted it"""

class Predictor:
    """Predicts how long jobs run, from those that have ended."""

    def __init__(self) -> None: ...

    def clone(self) -> Predictor:
        """Return a copy with all that it has learnt."""

    def __deepcopy__(self, memo: object) -> Predictor: ...

class Actual(Predictor):
    """The oracle: the true run time."""

    def __init__(self, run: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def begin(self) -> None: ...

    def predict(self, job: SubmittedJob) -> float: ...

    def learn(self, job: SubmittedJob, run_s: int) -> None: ...

class LastTwo(Predictor):
    """The mean of the user's last two run times."""

    def __init__(self) -> None: ...

    def begin(self) -> None: ...

    def predict(self, job: SubmittedJob) -> float: ...

    def learn(self, job: SubmittedJob, run_s: int) -> None: ...

class ClassMean(Predictor):
    """The mean run time of the jobs most like it that have ended."""

    def __init__(self) -> None: ...

    def begin(self) -> None: ...

    def predict(self, job: SubmittedJob) -> float: ...

    def learn(self, job: SubmittedJob, run_s: int) -> None: ...

class Nearest(Predictor):
    """The mean run time of the user's three ended jobs nearest to it."""

    def __init__(self) -> None: ...

    def begin(self) -> None: ...

    def predict(self, job: SubmittedJob) -> float: ...

    def learn(self, job: SubmittedJob, run_s: int) -> None: ...

class Regression(Predictor):
    """Online ridge regression on request, nodes and the user's recent jobs."""

    def __init__(self) -> None: ...

    def begin(self) -> None: ...

    def predict(self, job: SubmittedJob) -> float: ...

    def learn(self, job: SubmittedJob, run_s: int) -> None: ...

class Machine:
    """Nodes with their resources, and what jobs ask for of them."""

    def __init__(self, capacity: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gpus: int = 0) -> None: ...

    def add_set(self, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Return the place of the set of nodes, added if it is new."""

    def add_single_nodes(self) -> None:
        """Add each node as a set, for jobs that are suspended there."""

    def add_share(self, amounts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclusive: bool, gpus: tuple[int, int, int, int]) -> int:
        """Return the place of the share, added if it is new."""

class MachineChanges:
    """What happens to a machine by itself."""

    def __init__(self) -> None: ...

    def add_interval(self, kind: int, begin: int, end: int | None, total: int, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Close nodes for a time: outage 0, drain 1, reservation 2; in order of begin.
        """

    def add_guests(self, open_to: Sequence[bool]) -> None:
        """Add a group of guests: which intervals are open to it."""

    def add_step(self, time: int, consumable: int, capacity: int) -> None:
        """Give a consumable another capacity; in order of time."""

    def add_failure(self, node: int, time: int, up: int) -> None:
        """Let a node fail until it is repaired; in order of time."""

class Queue:
    """The waiting jobs as columns, in the queue's order."""

    @property
    def job(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """each job's place in the workload, its handle"""

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """nodes it needs"""

    @property
    def request_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """run time its user asked for"""

    @property
    def estimate_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """predicted run time; the request without a predictor"""

    @property
    def submit_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when it was submitted"""

    @property
    def wait_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """how long it has waited"""

    @property
    def start_in_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        how long until enough nodes will be free, if running jobs end as expected
        """

    @property
    def user(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """who submitted it"""

    def __len__(self) -> int: ...

class Running:
    """The running jobs as columns, in order of start."""

    @property
    def job(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """each job's place in the workload"""

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """nodes it occupies"""

    @property
    def start_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when it started"""

    @property
    def release_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when it is expected to release its nodes"""

    @property
    def user(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """who submitted it"""

    def __len__(self) -> int: ...

class View:
    """All a policy may know and do at a pass; never a true run time."""

    @property
    def now(self) -> int:
        """the clock, in seconds"""

    @property
    def nodes(self) -> int:
        """nodes of the machine"""

    @property
    def free_nodes(self) -> int:
        """nodes free now"""

    @property
    def queue(self) -> Queue:
        """the waiting jobs, as columns"""

    @property
    def running(self) -> Running:
        """the running jobs, as columns"""

    @property
    def completed(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """jobs that ended since the last pass"""

    @property
    def submitted(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """jobs that became eligible since the last pass"""

    @property
    def cancelled(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """jobs that were withdrawn since the last pass"""

    @property
    def overdue(self) -> bool:
        """whether a running job has exceeded its request"""

    @property
    def plans_are_void(self) -> bool:
        """
        whether a running job has exceeded its request, or run longer than predicted since the last pass
        """

    @property
    def clusters(self) -> list[int]:
        """nodes of each cluster, where jobs name clusters; else empty"""

    def needs(self, job: int) -> list[tuple[int, int]]:
        """
        What the job needs, as (cluster, nodes); without clusters all of cluster 0.
        """

    def nodes_of(self, job: int) -> list[tuple[int, int]]:
        """The nodes of a job that has started, as (first, last)."""

    def release_s(self, job: int) -> int:
        """When a job that has started is, or was, expected to release its nodes."""

    def fits(self, job: int) -> bool:
        """Whether enough nodes are free for it now."""

    def can_start(self, job: int) -> bool:
        """Whether it can start now without moving a reservation of this pass."""

    def can_start_at(self, job: int, time: int) -> bool:
        """Whether it can start then without moving a reservation of this pass."""

    def start(self, job: int) -> None:
        """Starts it now, on the lowest free nodes."""

    def reserve(self, job: int, at: int | None = None, promise: bool = True) -> int:
        """
        Reserves that start, or the earliest that moves no reservation of this pass; returns it. The first start ever reserved as a promise is recorded.
        """

    def give_back(self, job: int) -> None:
        """Gives back what was reserved for it in this pass."""

    def wake_at(self, time: int) -> None:
        """
        Asks for a pass at that time, unless another comes first: then ask again.
        """

def name_nodes(events: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """
    Names nodes, lowest free first, for jobs in the order of their starts and ends: (offset, first, last). IndexError names a job for which too few are free.
    """

class NodeChoice:
    """Which nodes a job takes where more have room than it needs."""

def choose_by_room(kinds: Sequence[tuple[Sequence[int], int]], least: bool) -> NodeChoice:
    """
    Return the choice of the node with the least or the most free. A kind is the resources that are added, and the most that a node has of them.
    """

def choose_by_weight(weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NodeChoice:
    """Return the choice of the node of the lowest weight."""

def choose_by_switch(switches: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NodeChoice:
    """Return the choice of nodes on as few switches as possible."""

def choose_by_fragments(machine: Machine, kinds: Sequence[tuple[int, int, int]]) -> NodeChoice:
    """
    Return the choice of the node on which a job leaves the fewest GPUs that others cannot use. A kind is a set, a share, and how many jobs are of it.
    """

def choose_at_random(seed: int) -> NodeChoice:
    """Return the choice of any node."""

class Simulator:
    """A steppable simulation of a machine."""

    def __init__(self, id: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], submit: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], request: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], run: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], user: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eligibility: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None, cancel_time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, total_nodes: int, tick: int, kill_at_request: bool, predictor: Predictor | None = None, demands: tuple[Machine, bool, Sequence[Sequence[tuple[int, int, int]]], Sequence[int], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, place: NodeChoice | None = None, attempting: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, changes: MachineChanges | None = None, preempt_by: int = 0) -> None: ...

    def use(self, policy: Policy) -> None:
        """
        Put the queue in the policy's order from now on; call it before the first pass.
        """

    def run(self, policy: Policy, passes: int, until: int = 9223372036854775807) -> bool:
        """
        Run up to this many passes; return False when nothing more happens, or not by then.
        """

    def advance(self, until: int = 9223372036854775807) -> bool:
        """
        Go on to the next pass without deciding it; return False when there is none.
        """

    def fork(self, policy: Policy) -> Simulator:
        """
        Return a simulation that goes on from here by itself, under a clone of the policy.
        """

    def add_job(self, id: int, submit: int, nodes: int, request: int, run: int, user: int, parts: Sequence[tuple[int, int, int]] = [], guest: int = 0, tier: int = 0) -> int:
        """Add a job that is submitted at its time; return its place."""

    def place_of_set(self, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Return the place of a set of nodes, for the parts of added jobs."""

    def place_of_share(self, amounts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclusive: bool, gpus: tuple[int, int, int, int]) -> int:
        """Return the place of a share, for parts of added jobs."""

    def group_of(self, open_to: Sequence[bool]) -> int:
        """
        Return the group of guests to whom these intervals are open, for added jobs.
        """

    def imagine(self, jobs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], run: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Forget what cannot be known now; these unfinished jobs have these run times.
        """

    def cancel(self, job: int) -> None:
        """Withdraw the job now if it has not started; end it now if it runs."""

    @property
    def view(self) -> View:
        """What a policy sees now."""

    @property
    def now(self) -> int:
        """the clock, in seconds"""

    @property
    def ended(self) -> int:
        """jobs that have ended"""

    @property
    def waiting(self) -> int:
        """jobs that wait"""

    def start_times(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """start of each job, -1 if it has not started"""

    def end_times(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """end of each job, -1 if it has not started"""

    def eligible_times(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when each job could first have started"""

    def promised_times(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """first start promised to each job, -1 if none"""

    def estimates(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """run time of each job as predicted when it became eligible"""

    def states(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]:
        """how each job ended"""

    def attempts(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]]:
        """
        the attempts that were interrupted: (job, start, end, why, lost, nodes)
        """

    def node_ranges(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
        """the nodes of all jobs: (offset, first, last)"""

class Unfinished:
    """
    The jobs that are submitted and have not ended, as columns, in the order of the workload.
    """

    @property
    def job(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """each job's place in the workload"""

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """nodes it needs"""

    @property
    def request_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """run time its user asked for"""

    @property
    def submit_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when it was submitted"""

    @property
    def user(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """who submitted it"""

    @property
    def is_running(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """whether it runs"""

    @property
    def is_waiting(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """whether it is in the queue; else it runs, or waits for other jobs"""

    @property
    def elapsed_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """how much of its run time has passed, work of earlier attempts included"""

    @property
    def least_run_s(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """the shortest run time that it can still have"""

    def __len__(self) -> int: ...

class PredictedOrder(Order):
    """
    The smallest log(run time) + nodes x log(nodes) - ageing x log(1 + wait / run time) first, by what past jobs tell; a candidate of Lookahead.
    """

    def __init__(self, nodes: float, ageing: float) -> None: ...

class WeightSearch:
    """Improves two weights from generation to generation."""

    def __init__(self, seed: int) -> None: ...

    @property
    def mean(self) -> list[float]:
        """the weights that are used"""

    def ask(self, count: int) -> list[list[float]]:
        """Return the weights to try."""

    def tell(self, tried: Sequence[Sequence[float]], scores: Sequence[float]) -> None:
        """Learn from the score of each; less is better."""

class LookaheadMetric(enum.Enum):
    """What a rollout is judged by."""

    bounded_slowdown = 0

    wait = 1

    longest_wait = 2

class Lookahead(Policy):
    """Tries candidates before it decides."""

    def __init__(self, candidates: Sequence[tuple[str, Order, Order | None, float | None]], period: int, forks: int, doubt: float, horizon: int | None, metric: LookaheadMetric, patience: int, guard: int | None, fairness: float, review: bool, search: int, evolve: int, arrivals: int | None, budget: int, seed: int, threads: int) -> None:
        """
        A candidate is (name, head, backfill, max_priority_gap); the first is the base, or with `review` the first base, the last the one whose weights are evolved.
        """

    def rehearse(self, simulator: Simulator) -> tuple[str, float, float, list[list[float]], list[int], str]:
        """
        Return what it would decide in this state if it were for the first time: (candidate, gain, error, sums by candidate and fork, jobs put first, base).
        """

    @property
    def switches(self) -> list[tuple[int, str, int, float, float]]:
        """when another candidate was chosen: (time, name, waiting, gain, error)"""

    @property
    def base_changes(self) -> list[tuple[int, str]]:
        """when another candidate became the base: (time, name)"""

    @property
    def decisions(self) -> int:
        """how often it has decided"""

    @property
    def rollouts(self) -> int:
        """how many forks it has run"""

    @property
    def moves(self) -> int:
        """how often it has put a job first"""

    @property
    def weights(self) -> list[float]:
        """of nodes and request in the candidate whose weights are evolved"""

    @property
    def guarded(self) -> int:
        """seconds under the guard"""

def unfinished(simulator: Simulator) -> Unfinished:
    """Return the jobs that are submitted and have not ended."""

def imagined_starts(simulator: Simulator, run: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], arrivals: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], plans: Sequence[Sequence[tuple[Policy, int]]], threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
    """
    Return when each unfinished job starts, by future and plan; -1 if it does not. A future is a row of run times and jobs that come, as (like, submit, run); a plan is policies, each with the time up to which it decides.
    """

class LiveCluster:
    """A cluster that somebody else runs: jobs arrive and end when told."""

    def __init__(self, nodes: int, tick: int, predictor: Predictor | None) -> None: ...

    def use(self, policy: Policy) -> None:
        """Puts the queue in the policy's order; call it before the first job."""

    def submit(self, id: int, time: int, nodes: int, request: int, user: int) -> int:
        """
        A job has been submitted; returns its place, by which it is known from now on.
        """

    def end(self, job: int, time: int) -> None:
        """A running job has ended."""

    def decide(self, policy: Policy, time: int) -> list[int]:
        """
        Runs the pass that is due at that time, if one is; the jobs that start, in order.
        """

    @property
    def next_pass(self) -> int | None:
        """when a pass is due next without any message; None if none is"""

    def nodes_of(self, job: int) -> list[tuple[int, int]]:
        """the nodes of a job that has started, as ranges"""

class Mode(enum.Enum):
    """What the agent decides."""

    pick = 0

    order = 1

    guard = 2

class Observation(enum.Enum):
    """What the agent sees."""

    baseline = 0

    proposal = 1

    jobs = 2

class Reward(enum.Enum):
    """What the agent is rewarded for."""

    terminal = 0

    slowdown = 1

    utilisation = 2

class EnvOptions:
    """The rules of an environment."""

    def __init__(self, *, nodes: int, visible: int, tick: int, mode: Mode, observation: Observation, reward: Reward, max_failures: int, doubling: bool, max_steps: int, time_scale: float, node_scale: float, largest: float, started_weight: float, utilisation_weight: float, steps_left_weight: float) -> None: ...

class QueuePasses:
    """
    An environment's decisions at the passes of a simulation run elsewhere.
    """

    def __init__(self, options: EnvOptions) -> None: ...

    @property
    def observation_size(self) -> int:
        """numbers that the agent sees"""

    @property
    def actions(self) -> int:
        """actions that the agent has"""

    @property
    def started(self) -> int:
        """jobs started in this simulation"""

    def enter(self, view: View) -> bool:
        """Begins a pass; whether there is something to decide."""

    def observe(self, observation: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Writes what the agent sees, and which actions make sense."""

    def decide(self, action: int) -> bool:
        """
        Does what the action says; whether there is more to decide in this pass.
        """

    def leave(self) -> None:
        """
        Ends a pass; asks for another after an interval where the rules have intervals.
        """

class QueueBatch:
    """
    Environments stepped together; what they write lies in the caller's arrays.
    """

    def __init__(self, options: EnvOptions, size: int, threads: int = 1) -> None: ...

    @property
    def size(self) -> int:
        """environments"""

    @property
    def observation_size(self) -> int:
        """numbers that each agent sees"""

    @property
    def actions(self) -> int:
        """actions that each agent has"""

    def step(self, actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], observation: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], truncated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """One step of every environment, without the GIL."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """what `states` tells of each environment"""

    def states(self, states: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Writes where each environment is, by `state_names`."""

    def steps(self, index: int) -> int:
        """steps since the last reset"""

    def started(self, index: int) -> int:
        """jobs whose start is decided"""

    def reset(self, index: int, simulator: Simulator, observation: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Begins an episode of one environment, and writes its rows."""

    def times(self, times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Writes how far in time each environment is."""

    def utilisation(self, index: int) -> float:
        """
        share of the machine that the jobs started so far use until the last of them ends
        """

    def mean_wait(self, index: int) -> float:
        """mean wait of the jobs started so far"""

    def mean_bounded_slowdown(self, index: int) -> float:
        """mean bounded slowdown of the jobs started so far"""

class GanttObservation(enum.Enum):
    """What the agent sees of the grid."""

    image = 0

    vector = 1

class GanttReward(enum.Enum):
    """What a reward on the grid is the fall of."""

    mean = 0

    total = 1

class GanttOptions:
    """The rules of the grid's environment."""

    def __init__(self, *, resources: int, slots: int, window: int, backlog_columns: int, colours: int, arrival_memory: int, max_steps: int, observation: GanttObservation, reward: GanttReward) -> None: ...

class BernoulliLaw:
    """The law of the grid's jobs, in time units."""

    def __init__(self, *, arrivals_per_unit: float, units: int, short_share: float, short_run: tuple[int, int], long_run: tuple[int, int], narrow_share: float, narrow_nodes: tuple[int, int], wide_nodes: tuple[int, int]) -> None: ...

    def draw(self, seed: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """The jobs of one episode, at least one: (submit, nodes, run)."""

class GanttBatch:
    """
    Environments stepped together; what they write lies in the caller's arrays.
    """

    def __init__(self, options: GanttOptions, size: int, threads: int = 1) -> None: ...

    @property
    def size(self) -> int:
        """environments"""

    @property
    def observation_size(self) -> int:
        """numbers that each agent sees"""

    @property
    def actions(self) -> int:
        """actions that each agent has"""

    def step(self, actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], observation: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], terminated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], truncated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """One step of every environment, without the GIL."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """what `states` tells of each environment"""

    def states(self, states: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Writes where each environment is, by `state_names`."""

    def steps(self, index: int) -> int:
        """steps since the last reset"""

    def started(self, index: int) -> int:
        """jobs whose start is decided"""

    def reset(self, index: int, submit: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], run: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], observation: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Begins an episode with these jobs, which must be feasible, and writes its rows.
        """

    def draw(self, index: int, law: BernoulliLaw, seed: int, observation: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], mask: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Begins an episode with the jobs that the law draws, and writes its rows.
        """

    def now(self, index: int) -> int:
        """the time unit"""

    def completed(self, index: int) -> int:
        """jobs that have ended"""

    def mean_slowdown(self, index: int) -> float:
        """
        time in the system so far over requested time, the mean over all submitted jobs
        """

    def jobs(self, index: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """the jobs of the episode: (submit, nodes, run)"""

    def starts(self, index: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """when each job starts, -1 if it is not decided"""

    def ranges(self, index: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
        """each job's resources: (offset by job, first, last)"""

    def slots(self, index: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """the job in each slot, -1 if it is empty"""

    def backlog(self, index: int) -> int:
        """waiting jobs that are in no slot"""

class NodeSet:
    """Some of the nodes of a machine, by their numbers."""

    def __init__(self, total: int, nodes: Sequence[int]) -> None: ...

class NodeRow:
    """A node of a Slurm site."""

    def __init__(self) -> None: ...

    @property
    def cpus(self) -> int: ...

    @cpus.setter
    def cpus(self, arg: int, /) -> None: ...

    @property
    def memory_mb(self) -> float: ...

    @memory_mb.setter
    def memory_mb(self, arg: float, /) -> None: ...

    @property
    def gpus(self) -> int: ...

    @gpus.setter
    def gpus(self, arg: int, /) -> None: ...

    @property
    def weight(self) -> int: ...

    @weight.setter
    def weight(self, arg: int, /) -> None: ...

    @property
    def leaf(self) -> int: ...

    @leaf.setter
    def leaf(self, arg: int, /) -> None: ...

    @property
    def rows(self) -> int: ...

    @rows.setter
    def rows(self, arg: int, /) -> None: ...

class PartitionRow:
    """A partition of a Slurm site."""

    def __init__(self) -> None: ...

    @property
    def nodes(self) -> NodeSet: ...

    @nodes.setter
    def nodes(self, arg: NodeSet, /) -> None: ...

    @property
    def tier(self) -> int: ...

    @tier.setter
    def tier(self, arg: int, /) -> None: ...

    @property
    def billing(self) -> list[float]: ...

    @billing.setter
    def billing(self, arg: Sequence[float], /) -> None: ...

    @property
    def rows(self) -> int: ...

    @rows.setter
    def rows(self, arg: int, /) -> None: ...

    @property
    def level(self) -> int: ...

    @level.setter
    def level(self, arg: int, /) -> None: ...

    @property
    def is_up(self) -> bool: ...

    @is_up.setter
    def is_up(self, arg: bool, /) -> None: ...

class AssociationRow:
    """A user in an account, or an account."""

    def __init__(self) -> None: ...

    @property
    def parent(self) -> int: ...

    @parent.setter
    def parent(self, arg: int, /) -> None: ...

    @property
    def is_user(self) -> bool: ...

    @is_user.setter
    def is_user(self, arg: bool, /) -> None: ...

    @property
    def shares(self) -> float: ...

    @shares.setter
    def shares(self, arg: float, /) -> None: ...

    @property
    def shares_of_parent(self) -> bool: ...

    @shares_of_parent.setter
    def shares_of_parent(self, arg: bool, /) -> None: ...

    @property
    def usage(self) -> float: ...

    @usage.setter
    def usage(self, arg: float, /) -> None: ...

class LimitMeasure(enum.Enum):
    """What a limit is set to."""

    jobs = 0

    tres = 1

    job_minutes = 2

    run_minutes = 3

    minutes = 4

    wall = 5

class LimitRow:
    """A limit on what some jobs count together."""

    def __init__(self) -> None: ...

    @property
    def measure(self) -> LimitMeasure: ...

    @measure.setter
    def measure(self, arg: LimitMeasure, /) -> None: ...

    @property
    def counter(self) -> int: ...

    @counter.setter
    def counter(self, arg: int, /) -> None: ...

    @property
    def tres(self) -> int: ...

    @tres.setter
    def tres(self, arg: int, /) -> None: ...

    @property
    def most(self) -> float: ...

    @most.setter
    def most(self, arg: float, /) -> None: ...

    @property
    def reason(self) -> int: ...

    @reason.setter
    def reason(self, arg: int, /) -> None: ...

    @property
    def ends(self) -> bool: ...

    @ends.setter
    def ends(self, arg: bool, /) -> None: ...

class CounterRow:
    """Jobs that count together."""

    def __init__(self) -> None: ...

    @property
    def decays(self) -> bool: ...

    @decays.setter
    def decays(self, arg: bool, /) -> None: ...

    @property
    def used(self) -> list[float]: ...

    @used.setter
    def used(self, arg: Sequence[float], /) -> None: ...

class ReservationRow:
    """Nodes that are kept for jobs of a reservation."""

    def __init__(self) -> None: ...

    @property
    def name(self) -> int: ...

    @name.setter
    def name(self, arg: int, /) -> None: ...

    @property
    def begin(self) -> int: ...

    @begin.setter
    def begin(self, arg: int, /) -> None: ...

    @property
    def end(self) -> int: ...

    @end.setter
    def end(self, arg: int, /) -> None: ...

    @property
    def nodes(self) -> NodeSet: ...

    @nodes.setter
    def nodes(self, arg: NodeSet, /) -> None: ...

    @property
    def cores(self) -> int: ...

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

class ClosingRow:
    """Nodes that get no jobs for a time."""

    def __init__(self) -> None: ...

    @property
    def begin(self) -> float: ...

    @begin.setter
    def begin(self, arg: float, /) -> None: ...

    @property
    def end(self) -> float: ...

    @end.setter
    def end(self, arg: float, /) -> None: ...

    @property
    def nodes(self) -> NodeSet: ...

    @nodes.setter
    def nodes(self, arg: NodeSet, /) -> None: ...

    @property
    def is_outage(self) -> bool: ...

    @is_outage.setter
    def is_outage(self, arg: bool, /) -> None: ...

class Dependency(enum.Enum):
    """What a job waits for."""

    after = 0

    afterok = 1

    afternotok = 2

    afterany = 3

    singleton = 4

class ConditionRow:
    """What a job waits for."""

    def __init__(self) -> None: ...

    @property
    def kind(self) -> Dependency: ...

    @kind.setter
    def kind(self, arg: Dependency, /) -> None: ...

    @property
    def others(self) -> list[int]: ...

    @others.setter
    def others(self, arg: Sequence[int], /) -> None: ...

    @property
    def delay_s(self) -> int: ...

    @delay_s.setter
    def delay_s(self, arg: int, /) -> None: ...

class ShapeRow:
    """What a job asks for in a partition."""

    def __init__(self) -> None: ...

    @property
    def partition(self) -> int: ...

    @partition.setter
    def partition(self, arg: int, /) -> None: ...

    @property
    def tasks(self) -> int: ...

    @tasks.setter
    def tasks(self, arg: int, /) -> None: ...

    @property
    def cpus_per_task(self) -> int: ...

    @cpus_per_task.setter
    def cpus_per_task(self, arg: int, /) -> None: ...

    @property
    def tasks_per_node(self) -> int: ...

    @tasks_per_node.setter
    def tasks_per_node(self, arg: int, /) -> None: ...

    @property
    def min_nodes(self) -> int: ...

    @min_nodes.setter
    def min_nodes(self, arg: int, /) -> None: ...

    @property
    def gpus(self) -> int: ...

    @gpus.setter
    def gpus(self, arg: int, /) -> None: ...

    @property
    def features(self) -> int: ...

    @features.setter
    def features(self, arg: int, /) -> None: ...

    @property
    def exclusive(self) -> bool: ...

    @exclusive.setter
    def exclusive(self, arg: bool, /) -> None: ...

    @property
    def memory_mb(self) -> float: ...

    @memory_mb.setter
    def memory_mb(self, arg: float, /) -> None: ...

    @property
    def memory_per_cpu(self) -> bool: ...

    @memory_per_cpu.setter
    def memory_per_cpu(self, arg: bool, /) -> None: ...

class PlaceRow:
    """A job in one of its partitions."""

    def __init__(self) -> None: ...

    @property
    def partition(self) -> int: ...

    @partition.setter
    def partition(self, arg: int, /) -> None: ...

    @property
    def shape(self) -> int: ...

    @shape.setter
    def shape(self, arg: int, /) -> None: ...

    @property
    def limits(self) -> int: ...

    @limits.setter
    def limits(self, arg: int, /) -> None: ...

class JobRow:
    """A job, or a task of an array."""

    def __init__(self) -> None: ...

    @property
    def id(self) -> int: ...

    @id.setter
    def id(self, arg: int, /) -> None: ...

    @property
    def task(self) -> int: ...

    @task.setter
    def task(self, arg: int, /) -> None: ...

    @property
    def submit(self) -> float: ...

    @submit.setter
    def submit(self, arg: float, /) -> None: ...

    @property
    def user(self) -> int: ...

    @user.setter
    def user(self, arg: int, /) -> None: ...

    @property
    def qos(self) -> int: ...

    @qos.setter
    def qos(self, arg: int, /) -> None: ...

    @property
    def association(self) -> int: ...

    @association.setter
    def association(self, arg: int, /) -> None: ...

    @property
    def places(self) -> list[PlaceRow]: ...

    @places.setter
    def places(self, arg: Sequence[PlaceRow], /) -> None: ...

    @property
    def limit_s(self) -> int: ...

    @limit_s.setter
    def limit_s(self, arg: int, /) -> None: ...

    @property
    def minutes(self) -> int: ...

    @minutes.setter
    def minutes(self, arg: int, /) -> None: ...

    @property
    def unseen_s(self) -> int: ...

    @unseen_s.setter
    def unseen_s(self, arg: int, /) -> None: ...

    @property
    def run_s(self) -> float: ...

    @run_s.setter
    def run_s(self, arg: float, /) -> None: ...

    @property
    def is_measured(self) -> bool: ...

    @is_measured.setter
    def is_measured(self, arg: bool, /) -> None: ...

    @property
    def nice(self) -> int: ...

    @nice.setter
    def nice(self, arg: int, /) -> None: ...

    @property
    def begin(self) -> float: ...

    @begin.setter
    def begin(self, arg: float, /) -> None: ...

    @property
    def array_limit(self) -> int: ...

    @array_limit.setter
    def array_limit(self, arg: int, /) -> None: ...

    @property
    def conditions(self) -> list[ConditionRow]: ...

    @conditions.setter
    def conditions(self, arg: Sequence[ConditionRow], /) -> None: ...

    @property
    def one_will_do(self) -> bool: ...

    @one_will_do.setter
    def one_will_do(self, arg: bool, /) -> None: ...

    @property
    def kill_invalid(self) -> bool: ...

    @kill_invalid.setter
    def kill_invalid(self, arg: bool, /) -> None: ...

    @property
    def licences(self) -> list[tuple[int, int]]: ...

    @licences.setter
    def licences(self, arg: Sequence[tuple[int, int]], /) -> None: ...

    @property
    def reservation(self) -> int: ...

    @reservation.setter
    def reservation(self, arg: int, /) -> None: ...

    @property
    def grace_s(self) -> int: ...

    @grace_s.setter
    def grace_s(self, arg: int, /) -> None: ...

    @property
    def may_requeue(self) -> bool: ...

    @may_requeue.setter
    def may_requeue(self, arg: bool, /) -> None: ...

    @property
    def ends_well(self) -> bool: ...

    @ends_well.setter
    def ends_well(self, arg: bool, /) -> None: ...

    @property
    def held(self) -> bool: ...

    @held.setter
    def held(self, arg: bool, /) -> None: ...

    @property
    def recorded_start(self) -> float: ...

    @recorded_start.setter
    def recorded_start(self, arg: float, /) -> None: ...

    @property
    def recorded_nodes(self) -> list[int]: ...

    @recorded_nodes.setter
    def recorded_nodes(self, arg: Sequence[int], /) -> None: ...

    @property
    def asks(self) -> list[float]: ...

    @asks.setter
    def asks(self, arg: Sequence[float], /) -> None: ...

    @property
    def partition_part(self) -> float: ...

    @partition_part.setter
    def partition_part(self, arg: float, /) -> None: ...

    @property
    def qos_part(self) -> float: ...

    @qos_part.setter
    def qos_part(self, arg: float, /) -> None: ...

    @property
    def association_part(self) -> float: ...

    @association_part.setter
    def association_part(self, arg: float, /) -> None: ...

    @property
    def tres_part(self) -> float: ...

    @tres_part.setter
    def tres_part(self, arg: float, /) -> None: ...

    @property
    def usage_factor(self) -> float: ...

    @usage_factor.setter
    def usage_factor(self, arg: float, /) -> None: ...

class OrderKind(enum.Enum):
    """What slurmctld is told."""

    cancel = 0

    hold = 1

    release = 2

    suspend = 6

    unsuspend = 7

    requeue = 3

    nice = 4

    array_limit = 5

    drain = 8

    down = 9

    resume = 10

    create_reservation = 11

    delete_reservation = 12

    partition_up = 13

    partition_down = 14

    none = 15

class OrderRow:
    """A command that slurmctld is given."""

    def __init__(self) -> None: ...

    @property
    def at(self) -> float: ...

    @at.setter
    def at(self, arg: float, /) -> None: ...

    @property
    def kind(self) -> OrderKind: ...

    @kind.setter
    def kind(self, arg: OrderKind, /) -> None: ...

    @property
    def jobs(self) -> list[int]: ...

    @jobs.setter
    def jobs(self, arg: Sequence[int], /) -> None: ...

    @property
    def value(self) -> int: ...

    @value.setter
    def value(self, arg: int, /) -> None: ...

    @property
    def nodes(self) -> NodeSet: ...

    @nodes.setter
    def nodes(self, arg: NodeSet, /) -> None: ...

    @property
    def reservation(self) -> ReservationRow: ...

    @reservation.setter
    def reservation(self, arg: ReservationRow, /) -> None: ...

class SlurmSettings:
    """The parameters of slurmctld that the twin heeds."""

    def __init__(self) -> None: ...

    @property
    def backfills(self) -> bool: ...

    @backfills.setter
    def backfills(self, arg: bool, /) -> None: ...

    @property
    def assoc_limit_stop(self) -> bool: ...

    @assoc_limit_stop.setter
    def assoc_limit_stop(self, arg: bool, /) -> None: ...

    @property
    def batch_sched_delay_s(self) -> int: ...

    @batch_sched_delay_s.setter
    def batch_sched_delay_s(self, arg: int, /) -> None: ...

    @property
    def sched_interval_s(self) -> int: ...

    @sched_interval_s.setter
    def sched_interval_s(self, arg: int, /) -> None: ...

    @property
    def default_queue_depth(self) -> int: ...

    @default_queue_depth.setter
    def default_queue_depth(self, arg: int, /) -> None: ...

    @property
    def partition_job_depth(self) -> int: ...

    @partition_job_depth.setter
    def partition_job_depth(self, arg: int, /) -> None: ...

    @property
    def sched_max_job_start(self) -> int: ...

    @sched_max_job_start.setter
    def sched_max_job_start(self, arg: int, /) -> None: ...

    @property
    def bf_interval_s(self) -> int: ...

    @bf_interval_s.setter
    def bf_interval_s(self, arg: int, /) -> None: ...

    @property
    def bf_window_s(self) -> int: ...

    @bf_window_s.setter
    def bf_window_s(self, arg: int, /) -> None: ...

    @property
    def bf_window_linear_s(self) -> int: ...

    @bf_window_linear_s.setter
    def bf_window_linear_s(self, arg: int, /) -> None: ...

    @property
    def bf_resolution_s(self) -> int: ...

    @bf_resolution_s.setter
    def bf_resolution_s(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_test(self) -> int: ...

    @bf_max_job_test.setter
    def bf_max_job_test(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_user(self) -> int: ...

    @bf_max_job_user.setter
    def bf_max_job_user(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_part(self) -> int: ...

    @bf_max_job_part.setter
    def bf_max_job_part(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_array_resv(self) -> int: ...

    @bf_max_job_array_resv.setter
    def bf_max_job_array_resv(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_user_part(self) -> int: ...

    @bf_max_job_user_part.setter
    def bf_max_job_user_part(self, arg: int, /) -> None: ...

    @property
    def bf_max_job_assoc(self) -> int: ...

    @bf_max_job_assoc.setter
    def bf_max_job_assoc(self, arg: int, /) -> None: ...

    @property
    def bf_job_part_count_reserve(self) -> int: ...

    @bf_job_part_count_reserve.setter
    def bf_job_part_count_reserve(self, arg: int, /) -> None: ...

    @property
    def bf_min_prio_reserve(self) -> int: ...

    @bf_min_prio_reserve.setter
    def bf_min_prio_reserve(self, arg: int, /) -> None: ...

    @property
    def bf_min_age_reserve_s(self) -> int: ...

    @bf_min_age_reserve_s.setter
    def bf_min_age_reserve_s(self, arg: int, /) -> None: ...

    @property
    def bf_one_resv_per_job(self) -> bool: ...

    @bf_one_resv_per_job.setter
    def bf_one_resv_per_job(self, arg: bool, /) -> None: ...

    @property
    def bf_max_job_start(self) -> int: ...

    @bf_max_job_start.setter
    def bf_max_job_start(self, arg: int, /) -> None: ...

    @property
    def preempt_reorder_count(self) -> int: ...

    @preempt_reorder_count.setter
    def preempt_reorder_count(self, arg: int, /) -> None: ...

    @property
    def preempt_youngest_first(self) -> bool: ...

    @preempt_youngest_first.setter
    def preempt_youngest_first(self, arg: bool, /) -> None: ...

    @property
    def is_basic(self) -> bool: ...

    @is_basic.setter
    def is_basic(self, arg: bool, /) -> None: ...

    @property
    def is_fair_tree(self) -> bool: ...

    @is_fair_tree.setter
    def is_fair_tree(self, arg: bool, /) -> None: ...

    @property
    def weight_age(self) -> float: ...

    @weight_age.setter
    def weight_age(self, arg: float, /) -> None: ...

    @property
    def weight_fairshare(self) -> float: ...

    @weight_fairshare.setter
    def weight_fairshare(self, arg: float, /) -> None: ...

    @property
    def weight_job_size(self) -> float: ...

    @weight_job_size.setter
    def weight_job_size(self, arg: float, /) -> None: ...

    @property
    def max_age_s(self) -> int: ...

    @max_age_s.setter
    def max_age_s(self, arg: int, /) -> None: ...

    @property
    def decay_half_life_s(self) -> int: ...

    @decay_half_life_s.setter
    def decay_half_life_s(self, arg: int, /) -> None: ...

    @property
    def calc_period_s(self) -> int: ...

    @calc_period_s.setter
    def calc_period_s(self, arg: int, /) -> None: ...

    @property
    def is_safe(self) -> bool: ...

    @is_safe.setter
    def is_safe(self, arg: bool, /) -> None: ...

    @property
    def forgets_s(self) -> int: ...

    @forgets_s.setter
    def forgets_s(self, arg: int, /) -> None: ...

    @property
    def dampening(self) -> int: ...

    @dampening.setter
    def dampening(self, arg: int, /) -> None: ...

    @property
    def favor_small(self) -> bool: ...

    @favor_small.setter
    def favor_small(self, arg: bool, /) -> None: ...

    @property
    def small_relative_to_time(self) -> bool: ...

    @small_relative_to_time.setter
    def small_relative_to_time(self, arg: bool, /) -> None: ...

    @property
    def bills_most(self) -> bool: ...

    @bills_most.setter
    def bills_most(self, arg: bool, /) -> None: ...

    @property
    def cpus(self) -> int: ...

    @cpus.setter
    def cpus(self, arg: int, /) -> None: ...

    @property
    def gangs(self) -> bool: ...

    @gangs.setter
    def gangs(self, arg: bool, /) -> None: ...

    @property
    def preempts(self) -> bool: ...

    @preempts.setter
    def preempts(self, arg: bool, /) -> None: ...

    @property
    def preempts_by_tier(self) -> bool: ...

    @preempts_by_tier.setter
    def preempts_by_tier(self, arg: bool, /) -> None: ...

    @property
    def preempt_cancels(self) -> bool: ...

    @preempt_cancels.setter
    def preempt_cancels(self, arg: bool, /) -> None: ...

    @property
    def exempt_time_s(self) -> int: ...

    @exempt_time_s.setter
    def exempt_time_s(self, arg: int, /) -> None: ...

    @property
    def ping_s(self) -> int: ...

    @ping_s.setter
    def ping_s(self, arg: int, /) -> None: ...

    @property
    def kill_wait_s(self) -> int: ...

    @kill_wait_s.setter
    def kill_wait_s(self, arg: int, /) -> None: ...

    @property
    def message_timeout_s(self) -> int: ...

    @message_timeout_s.setter
    def message_timeout_s(self, arg: int, /) -> None: ...

    @property
    def over_time_limit_s(self) -> int: ...

    @over_time_limit_s.setter
    def over_time_limit_s(self, arg: int, /) -> None: ...

    @property
    def min_job_age_s(self) -> int: ...

    @min_job_age_s.setter
    def min_job_age_s(self, arg: int, /) -> None: ...

    @property
    def cred_expire_s(self) -> int: ...

    @cred_expire_s.setter
    def cred_expire_s(self, arg: int, /) -> None: ...

    @property
    def returns_by_itself(self) -> bool: ...

    @returns_by_itself.setter
    def returns_by_itself(self, arg: bool, /) -> None: ...

    @property
    def counts_memory(self) -> bool: ...

    @counts_memory.setter
    def counts_memory(self, arg: bool, /) -> None: ...

    @property
    def has_tree(self) -> bool: ...

    @has_tree.setter
    def has_tree(self, arg: bool, /) -> None: ...

class SlurmPhases:
    """When slurmctld's loops run, and what things take."""

    def __init__(self) -> None: ...

    @property
    def tick(self) -> float: ...

    @tick.setter
    def tick(self, arg: float, /) -> None: ...

    @property
    def backfill(self) -> float: ...

    @backfill.setter
    def backfill(self, arg: float, /) -> None: ...

    @property
    def limits(self) -> float: ...

    @limits.setter
    def limits(self, arg: float, /) -> None: ...

    @property
    def priority(self) -> float: ...

    @priority.setter
    def priority(self, arg: float, /) -> None: ...

    @property
    def full(self) -> float: ...

    @full.setter
    def full(self, arg: float, /) -> None: ...

    @property
    def tick_period(self) -> float: ...

    @tick_period.setter
    def tick_period(self, arg: float, /) -> None: ...

    @property
    def ticks(self) -> list[float]: ...

    @ticks.setter
    def ticks(self, arg: Sequence[float], /) -> None: ...

    @property
    def backfills(self) -> list[float]: ...

    @backfills.setter
    def backfills(self, arg: Sequence[float], /) -> None: ...

    @property
    def limit_tests(self) -> list[float]: ...

    @limit_tests.setter
    def limit_tests(self, arg: Sequence[float], /) -> None: ...

    @property
    def after_kills(self) -> list[float]: ...

    @after_kills.setter
    def after_kills(self, arg: Sequence[float], /) -> None: ...

    @property
    def known_loop_s(self) -> float: ...

    @known_loop_s.setter
    def known_loop_s(self, arg: float, /) -> None: ...

    @property
    def submit_s(self) -> float: ...

    @submit_s.setter
    def submit_s(self, arg: float, /) -> None: ...

    @property
    def run_s(self) -> float: ...

    @run_s.setter
    def run_s(self, arg: float, /) -> None: ...

    @property
    def complete_s(self) -> float: ...

    @complete_s.setter
    def complete_s(self, arg: float, /) -> None: ...

    @property
    def after_kill_s(self) -> float: ...

    @after_kill_s.setter
    def after_kill_s(self, arg: float, /) -> None: ...

    @property
    def per_test_s(self) -> float: ...

    @per_test_s.setter
    def per_test_s(self, arg: float, /) -> None: ...

    @property
    def loop_s(self) -> float: ...

    @loop_s.setter
    def loop_s(self, arg: float, /) -> None: ...

class SlurmTables:
    """A Slurm site with its history, names resolved to numbers."""

    def __init__(self) -> None: ...

    @property
    def epoch(self) -> int: ...

    @epoch.setter
    def epoch(self, arg: int, /) -> None: ...

    @property
    def settings(self) -> SlurmSettings: ...

    @settings.setter
    def settings(self, arg: SlurmSettings, /) -> None: ...

    @property
    def nodes(self) -> list[NodeRow]: ...

    @nodes.setter
    def nodes(self, arg: Sequence[NodeRow], /) -> None: ...

    @property
    def partitions(self) -> list[PartitionRow]: ...

    @partitions.setter
    def partitions(self, arg: Sequence[PartitionRow], /) -> None: ...

    @property
    def features(self) -> list[NodeSet]: ...

    @features.setter
    def features(self, arg: Sequence[NodeSet], /) -> None: ...

    @property
    def shapes(self) -> list[ShapeRow]: ...

    @shapes.setter
    def shapes(self, arg: Sequence[ShapeRow], /) -> None: ...

    @property
    def limits(self) -> list[list[LimitRow]]: ...

    @limits.setter
    def limits(self, arg: Sequence[Sequence[LimitRow]], /) -> None: ...

    @property
    def counted(self) -> list[list[int]]: ...

    @counted.setter
    def counted(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def counters(self) -> list[CounterRow]: ...

    @counters.setter
    def counters(self, arg: Sequence[CounterRow], /) -> None: ...

    @property
    def qos_priority(self) -> list[int]: ...

    @qos_priority.setter
    def qos_priority(self, arg: Sequence[int], /) -> None: ...

    @property
    def qos_preempts(self) -> list[list[int]]: ...

    @qos_preempts.setter
    def qos_preempts(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def associations(self) -> list[AssociationRow]: ...

    @associations.setter
    def associations(self, arg: Sequence[AssociationRow], /) -> None: ...

    @property
    def licences(self) -> list[int]: ...

    @licences.setter
    def licences(self, arg: Sequence[int], /) -> None: ...

    @property
    def reservations(self) -> list[ReservationRow]: ...

    @reservations.setter
    def reservations(self, arg: Sequence[ReservationRow], /) -> None: ...

    @property
    def closings(self) -> list[ClosingRow]: ...

    @closings.setter
    def closings(self, arg: Sequence[ClosingRow], /) -> None: ...

    @property
    def jobs(self) -> list[JobRow]: ...

    @jobs.setter
    def jobs(self, arg: Sequence[JobRow], /) -> None: ...

    @property
    def orders(self) -> list[OrderRow]: ...

    @orders.setter
    def orders(self, arg: Sequence[OrderRow], /) -> None: ...

    @property
    def users(self) -> int: ...

    @users.setter
    def users(self, arg: int, /) -> None: ...

class SlurmScheduler(enum.Enum):
    """Who has started a job."""

    main = 0

    backfill = 1

class Ending(enum.Enum):
    """How a run of a job ended."""

    none = 0

    completed = 1

    failed = 2

    timeout = 3

    cancelled = 4

    preempted = 5

    requeued = 6

    node_fail = 7

class NativeRun:
    """One time that a job ran."""

    @property
    def start(self) -> float: ...

    @property
    def end(self) -> float: ...

    @property
    def nodes(self) -> list[int]: ...

    @property
    def by(self) -> SlurmScheduler: ...

    @property
    def how(self) -> Ending: ...

class NativeController:
    """A slurmctld that replays a history."""

    def __init__(self, site: SlurmTables, phases: SlurmPhases) -> None: ...

    def run(self, events: int, until: float = float('inf')) -> bool:
        """
        Play up to this number of events, none later than that; return whether more are left.
        """

    @property
    def waiting(self) -> int:
        """How many jobs and orders are to come, or wait and may start."""

    def run_until(self, time: float) -> bool:
        """Play all events up to a time; return whether anything is left."""

    def movable(self) -> list[tuple[int, int, int]]:
        """
        Return number, priority and nice value of each job that a priority could move.
        """

    def set_nice(self, job: int, nice: int) -> None:
        """Change the nice value of a job, and its priority at once."""

    def wait_reasons(self) -> list[tuple[int, int]]:
        """Return the number of each job that waits, and why it does."""

    def runs(self) -> list[list[NativeRun]]:
        """Return the runs of each job; one that goes on ends at nan."""
