"""The Ray engine: the same tables as the local one, even if a machine is lost."""

from __future__ import annotations

import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest

from schedlab.errors import ParameterError
from schedlab.experiments import Experiment, LocalEngine, SimulationTask, run_experiment
from schedlab.experiments.digest import code_of
from schedlab.experiments.engine import run_task
from schedlab.platform import Platform
from schedlab.workload import generate, read_workload, write_workload

ray: Any = pytest.importorskip("ray", reason="Ray is not installed")

from schedlab.experiments import RayEngine, engine_ray, ray_connection  # noqa: E402 - need Ray

Describe = Callable[..., Experiment]

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
TABLES = ("results.csv", "results.parquet", "summary.csv", "report.md", "report.html")
EASY = '"easy", depth = 50'

ORDERS = """
import os, time
from pathlib import Path
from schedlab import Order

class Failing(Order):
    def score(self, queue):
        raise RuntimeError("no score today")

class Deadly(Order):
    def score(self, queue):
        os._exit(9)

class Waiting(Order):
    "Says where it runs, and waits to be let go."
    def score(self, queue):
        here = Path({folder!r})
        if not (here / "go").exists():
            import ray
            (here / f"{{ray.get_runtime_context().get_node_id()}}.{{os.getpid()}}").touch()
        while not (here / "go").exists():
            time.sleep(0.02)
        return queue.submit_s
"""


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Any]:
    """A cluster of two nodes with one processor each, both on this machine."""
    from ray.cluster_utils import Cluster

    # Not a folder of pytest's: the paths of sockets must be short.
    with TemporaryDirectory(prefix="ray-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("HOME", folder)  # where Ray keeps a token
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
        yield cluster
        cluster.shutdown()


@pytest.fixture
def joined(two_nodes: Any) -> Iterator[None]:
    """This process is connected to the cluster, as a notebook may be."""
    ray.init(address=two_nodes.address, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of orders that misbehave; return the folder in which one says where it runs."""
    folder = tmp_path / "seen"
    folder.mkdir()
    (tmp_path / "orders_of_ray_test.py").write_text(ORDERS.format(folder=str(folder)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "orders_of_ray_test", raising=False)
    return folder


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files that the run wrote."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait until this has happened, but not for ever."""
    deadline = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def task(workload: Path, policy: str = "easy") -> SimulationTask:
    """Return the task of a single cell."""
    return SimulationTask(
        key=policy,
        name=f"{workload.stem}/{policy}",
        workload=workload,
        platform=Platform.homogeneous(32),
        policy=policy,
        tick=1,
        depth=None,
        kill_at_request=True,
        metrics=("wait",),
        seed=0,
    )


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """The file of a small workload."""
    path = tmp_path / "jobs.parquet"
    write_workload(generate("lublin:nodes=32", 50, seed=1), path)
    return path


@pytest.mark.slow
def test_the_tables_are_those_of_the_local_engine(
    two_nodes: Any, describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are equal byte for byte, and each of the four workloads is sent once, not per cell."""
    stored, put = [], ray.put

    def counted(value: object) -> Any:
        stored.append(value)
        return put(value)

    monkeypatch.setattr(ray, "put", counted)
    run_experiment(describe(), tmp_path / "here", engine=LocalEngine(1))
    run_experiment(describe(), tmp_path / "there", engine=RayEngine(address=two_nodes.address))
    assert tables(tmp_path / "here") == tables(tmp_path / "there")
    assert len(stored) == 4
    assert not ray.is_initialized()


@pytest.mark.slow
def test_a_lost_machine_costs_time_only(
    two_nodes: Any, orders: Path, describe: Describe, tmp_path: Path
) -> None:
    """The cells that ran there are computed elsewhere."""
    experiment = describe((EASY, '"orders_of_ray_test:Waiting"'))
    doomed = two_nodes.add_node(**NODE)
    two_nodes.wait_for_nodes()

    def lose() -> None:
        try:
            wait_for(lambda: any(orders.glob(f"{doomed.node_id}.*")))
            two_nodes.remove_node(doomed, allow_graceful=False)
        finally:
            (orders / "go").touch()

    thread = Thread(target=lose)
    thread.start()
    run = run_experiment(experiment, tmp_path / "out", engine=RayEngine(address=two_nodes.address))
    thread.join()
    assert (run.finished, run.failures) == (8, {})
    run_experiment(experiment, tmp_path / "here", engine=LocalEngine(1))
    assert tables(tmp_path / "out") == tables(tmp_path / "here")


@pytest.mark.slow
def test_an_interrupted_run_is_taken_up(
    two_nodes: Any, describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is computed, here one cell at a time and on the cluster that Ray finds."""

    def interrupt(done: int, _: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    monkeypatch.setenv("RAY_ADDRESS", two_nodes.address)
    engine = RayEngine(1, address="auto")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(describe(), tmp_path / "out", engine=engine, progress=interrupt)
    assert not ray.is_initialized()
    run = run_experiment(describe(), tmp_path / "out", engine=engine)
    assert (run.computed, run.finished) == (5, 8)


@pytest.mark.slow
def test_a_failing_cell_does_not_stop_the_others(joined: None, orders: Path, jobs: Path) -> None:
    """A cell may raise, end its process at every attempt, or be unable to read its workload.

    A connection to Ray that was there before is still there afterwards.
    """
    absent = jobs.with_name("absent.parquet")
    failing, deadly = (f"orders_of_ray_test:{name}" for name in ("Failing", "Deadly"))
    tasks = [task(jobs, failing), task(jobs, deadly), task(absent, "sjf"), task(jobs)]
    outcomes = {each.key: each for each in RayEngine().run(tasks)}
    assert "no score today" in str(outcomes[failing].error)
    assert "its process died" in str(outcomes[deadly].error)
    assert "absent.parquet: no such file" in str(outcomes["sjf"].error)
    assert outcomes["easy"].values == run_task(task(jobs)).values
    with pytest.raises(ParameterError, match="connected to Ray already"):
        list(RayEngine(address="auto").run(tasks))
    assert ray.is_initialized()


@pytest.mark.slow
def test_closed_early_nothing_goes_on_running(joined: None, orders: Path, jobs: Path) -> None:
    """Tasks are stopped even on a cluster that stays."""
    waiting = task(jobs, "orders_of_ray_test:Waiting")
    with closing(RayEngine().run([task(jobs), waiting])) as outcomes:
        assert next(outcomes).key == "easy"
        wait_for(lambda: any(orders.iterdir()))
    pids = [each.suffix.removeprefix(".") for each in orders.iterdir()]
    wait_for(lambda: not any(Path("/proc", pid).exists() for pid in pids))


def test_nothing_to_do_starts_nothing() -> None:
    """A finished experiment is shown at once, even if the cluster is down."""
    assert list(RayEngine(address="127.0.0.1:1").run([])) == []


def test_other_code_gives_no_result(jobs: Path) -> None:
    """Its result would be stored under the key of our code."""
    cell, workload = task(jobs), read_workload(jobs)
    ours = code_of(cell.outside)
    same = engine_ray._compute(cell, workload, ours, [])
    other = engine_ray._compute(cell, workload, {**ours, "schedlab": ["0.0.1"]}, [])
    assert (same.error, same.values) == (None, run_task(cell).values)
    assert "has another schedlab; install the same on every machine" in str(other.error)


@pytest.mark.parametrize("address", ["here", "ray://here:10001", "here:", ":6379", "here:65536"])
def test_what_is_no_address_is_refused(address: str) -> None:
    """The error comes before anything is read or run."""
    with pytest.raises(ParameterError, match=r"must be auto or host:port"):
        RayEngine(address=address)


def test_no_worker_is_refused() -> None:
    """The error is the same as that of the local engine."""
    with pytest.raises(ParameterError, match="workers is 0; must be >= 1"):
        RayEngine(0)


def test_an_address_where_nothing_listens(jobs: Path) -> None:
    """The error comes at once; Ray itself would try for minutes."""
    with pytest.raises(
        ParameterError, match=r"no Ray cluster at 127\.0\.0\.1:1: Connection refused"
    ):
        list(RayEngine(address="127.0.0.1:1").run([task(jobs)]))


@pytest.mark.slow
def test_an_address_where_no_ray_listens(jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address may be that of a dashboard, for example."""
    monkeypatch.setattr(ray_connection, "PATIENCE_S", 4.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ParameterError, match=f"{address}: no Ray answers within 4 s"):
            list(RayEngine(address=address).run([task(jobs)]))
