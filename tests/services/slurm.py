"""Slurm with slurmdbd and MariaDB: eight nodes on this machine, in a folder of their own.

The power of the nodes is in databases as Ganglia keeps them, which Slurm's ext_sensors plugin
reads. They are written beforehand, for two hours.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.services.postgresql import free_port
from tests.services.processes import require_program, running
from tests.services.users import ANN, BOB, OPERATOR, unix_users
from tests.services.waiting import until

CLUSTER = "testcl"
NODES = tuple(f"n{number:02d}" for number in range(1, 9))
POWER_S = 7200
"""The time from the start of the cluster for which the power of the nodes is known."""


@dataclass(frozen=True)
class Slurm:
    """A running cluster."""

    folder: Path
    database_url: str
    """The database of slurmdbd's tables."""
    daemons: ExitStack = field(default_factory=ExitStack)
    """The daemons; closing the stack ends them."""
    rest_url: str = ""
    """The address of slurmrestd; empty without one."""

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which Slurm's commands find the cluster."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    @property
    def rrds(self) -> Path:
        """The folder in which Ganglia would keep the power of the nodes."""
        return self.folder / "rrds"

    @property
    def rest_socket(self) -> Path:
        """The socket on which slurmrestd listens, besides its address."""
        return self.folder / "rest" / "socket"

    def token(self, user: str) -> str:
        """Return a token of a user for slurmrestd."""
        told = self.run("scontrol", "token", f"username={user}", "lifespan=7200")
        return told.strip().removeprefix("SLURM_JWT=")

    @property
    def completion_log(self) -> Path:
        """The file that jobcomp/filetxt writes."""
        return self.folder / "jobcomp.log"

    def run(self, *command: str, user: str | None = None, check: bool = True) -> str:
        """Return what a command of Slurm prints; with ``check`` it must succeed."""
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            user=user,
            cwd=self.folder / "jobs",
            env={**os.environ, "TZ": "UTC", **self.environment},
        )
        assert not check or done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def submit(self, user: str, *options: str) -> str:
        """Submit a job; return its id."""
        return self.run("sbatch", "--parsable", *options, user=user).strip().partition(";")[0]


BY_ARRIVAL = "PriorityType=priority/basic"
BY_FACTORS = "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityCalcPeriod=1"


@contextmanager
def slurm_cluster(
    database_url: str, priority: str = BY_ARRIVAL, *, rest: bool = False
) -> Iterator[Slurm]:
    """Run a cluster of eight nodes until the block ends, on request with slurmrestd."""
    programs = ["munged", "slurmdbd", "slurmctld", "slurmd", "sacctmgr", "sbatch", "rrdtool"]
    programs += ["slurmrestd"] if rest else []
    paths = {name: require_program(name) for name in programs}
    with (
        unix_users(ANN, BOB, OPERATOR),
        tempfile.TemporaryDirectory(prefix="schedlab-slurm-") as name,
        ExitStack() as daemons,
    ):
        folder = Path(name)
        folder.chmod(0o755)
        _folders(folder)
        munge = [paths["munged"], "--foreground", "--force", f"--socket={folder}/munge/socket"]
        munge += [f"--key-file={folder}/munge/key", f"--pid-file={folder}/munge/pid"]
        munge += [f"--log-file={folder}/munge/log", f"--seed-file={folder}/munge/seed"]
        daemons.enter_context(
            running(["runuser", "-u", "munge", "--", *munge], folder / "munge.log")
        )
        url = f"http://127.0.0.1:{free_port()}" if rest else ""
        cluster = Slurm(folder, database_url, daemons, url)
        _configure(cluster, priority)
        _write_power(cluster.rrds)
        _start(cluster, daemons, paths)
        if rest:
            _start_rest(cluster, paths["slurmrestd"])
        yield cluster


def _folders(folder: Path) -> None:
    for name in ("state", "spool", "log", "munge", "jobs", "rest"):
        (folder / name).mkdir()
    shutil.chown(folder / "rest", "nobody")
    (folder / "jobs").chmod(0o1777)
    (folder / "munge" / "key").write_bytes(secrets.token_bytes(1024))
    (folder / "munge" / "key").chmod(0o400)
    (folder / "munge").chmod(0o711)
    for path in (folder / "munge", folder / "munge" / "key"):
        shutil.chown(path, "munge", "munge")
    (folder / "state" / "jwt.key").write_bytes(secrets.token_bytes(32))
    (folder / "state" / "jwt.key").chmod(0o600)
    for name in ("state", "log", "state/jwt.key"):
        shutil.chown(folder / name, "slurm", "slurm")
    (folder / "jobcomp.log").touch()
    shutil.chown(folder / "jobcomp.log", "slurm", "slurm")


def _configure(cluster: Slurm, priority: str) -> None:
    folder, dbd_port = cluster.folder, free_port()
    tokens = f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={folder}/state/jwt.key\n"
    tokens = tokens if cluster.rest_url else ""
    (folder / "slurmdbd.conf").write_text(_database_settings(cluster, dbd_port) + tokens)
    (folder / "slurmdbd.conf").chmod(0o600)
    shutil.chown(folder / "slurmdbd.conf", "slurm", "slurm")
    (folder / "slurm.conf").write_text(_settings(folder, dbd_port, priority) + tokens)
    (folder / "ext_sensors.conf").write_text(
        "JobData=energy\nNodeData=energy\nMinWatt=1\nMaxWatt=5000\nEnergyRRA=sum\n"
        f"EnergyPathRRD={cluster.rrds}/{CLUSTER}/%n/node_power.rrd\n"
    )


def watts(node: str, second: int) -> float:
    """Return the power of a node in the second that ends then; it differs by node and changes."""
    return 100.0 + 10 * NODES.index(node) + (40 if second // 7 % 2 else 0)


def _write_power(folder: Path) -> None:
    start = int(time.time()) - 60
    for node in NODES:
        path = folder / CLUSTER / node / "node_power.rrd"
        path.parent.mkdir(parents=True)
        create = ["rrdtool", "create", str(path), "--step", "1", "--start", str(start)]
        archive = ["DS:sum:GAUGE:8:U:U", f"RRA:AVERAGE:0.5:1:{POWER_S + 100}"]
        subprocess.run([*create, *archive], check=True)
        seconds = range(start + 1, start + POWER_S)
        updates = [f"{second}:{watts(node, second)}" for second in seconds]
        subprocess.run(["rrdtool", "update", str(path), *updates], check=True)


def _database_settings(cluster: Slurm, port: int) -> str:
    folder, database = cluster.folder, urlsplit(cluster.database_url)
    return f"""\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoInAddrAny
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=slurm
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/state/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost={database.hostname}
StoragePort={database.port}
StorageUser={database.username}
StorageLoc={database.path[1:]}
"""


def _settings(folder: Path, dbd_port: int, priority: str) -> str:
    """Return the text of slurm.conf.

    A requeued job may start again once its credentials have expired: in 5 s, not in 2 min.
    """
    host = socket.gethostname().partition(".")[0]
    nodes = "".join(
        f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=4 "
        "Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=2000\n"
        for node in NODES
    )
    return f"""\
ClusterName={CLUSTER}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser=slurm
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/state/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/spool/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
{priority}
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd_port}
AccountingStoragePass={folder}/munge/socket
AccountingStorageEnforce=associations
AccountingStoreFlags=job_comment
ExtSensorsType=ext_sensors/rrd
ExtSensorsFreq=5
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.log
MinJobAge=3600
KillWait=2
Waittime=0
{nodes}PartitionName=batch Nodes=ALL Default=YES MaxTime=UNLIMITED DefaultTime=10 State=UP
"""


def _start(cluster: Slurm, daemons: ExitStack, paths: dict[str, str]) -> None:
    os.environ.pop("SLURM_JWT", None)
    log = cluster.folder / "log"

    def answers(*command: str) -> bool:
        env = {**os.environ, **cluster.environment}
        return subprocess.run(command, capture_output=True, check=False, env=env).returncode == 0

    def daemon(name: str, *options: str) -> subprocess.Popen[bytes]:
        command = ["env", f"SLURM_CONF={cluster.folder}/slurm.conf", paths[name], "-D", *options]
        return daemons.enter_context(running(command, log / f"{'-'.join((name, *options))}.out"))

    database = daemon("slurmdbd")
    until(lambda: answers("sacctmgr", "-n", "list", "cluster"), "slurmdbd answers")
    cluster.run("sacctmgr", "-i", "add", "cluster", CLUSTER)
    cluster.run("sacctmgr", "-i", "add", "account", "physics")
    for user in (ANN, BOB):
        cluster.run("sacctmgr", "-i", "add", "user", user, "account=physics")
    level = "AdminLevel=Operator"
    cluster.run("sacctmgr", "-i", "add", "user", OPERATOR, "account=physics", level)
    controller = daemon("slurmctld")
    until(lambda: answers("scontrol", "ping"), "slurmctld answers")
    nodes = [daemon("slurmd", "-N", node) for node in NODES]
    for each in (database, controller, *nodes):
        daemons.callback(each.kill)  # all are killed before a wait for the first: nothing is kept
    until(
        lambda: cluster.run("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * len(NODES),
        "all nodes are idle",
    )


def _start_rest(cluster: Slurm, program: str) -> None:
    """Start slurmrestd as a user without rights in Slurm: each request brings a token."""
    address = cluster.rest_url.removeprefix("http://")
    command = ["runuser", "-u", "nobody", "--", "env", "SLURM_JWT=daemon"]
    command += [f"SLURM_CONF={cluster.folder}/slurm.conf", program, "-a", "rest_auth/jwt"]
    log = cluster.folder / "log" / "slurmrestd.out"
    server = running([*command, address, f"unix:{cluster.rest_socket}"], log)
    cluster.daemons.callback(cluster.daemons.enter_context(server).kill)
    host, _, port = address.partition(":")

    def listens() -> bool:
        with socket.socket() as other:
            return other.connect_ex((host, int(port))) == 0

    until(listens, "slurmrestd listens")
    cluster.rest_socket.chmod(0o666)


def controller_pid(cluster: Slurm) -> int:
    """Return the process id of slurmctld."""
    return int((cluster.folder / "state" / "slurmctld.pid").read_text())


def restart_controller(cluster: Slurm) -> None:
    """End slurmctld, and start it again.

    It gets a signal to end: a slurmctld that is killed loses the jobs of the last seconds.
    """
    pid = controller_pid(cluster)
    os.kill(pid, signal.SIGTERM)
    until(lambda: _is_gone(pid), "slurmctld is gone")
    command = ["env", *(f"{key}={value}" for key, value in cluster.environment.items())]
    log = cluster.folder / "log" / "slurmctld-again.out"
    again = running([*command, require_program("slurmctld"), "-D"], log)
    cluster.daemons.callback(cluster.daemons.enter_context(again).kill)
    env = {**os.environ, **cluster.environment}
    ping = ["scontrol", "ping"]
    until(
        lambda: subprocess.run(ping, capture_output=True, check=False, env=env).returncode == 0,
        "slurmctld answers again",
    )


def _is_gone(pid: int) -> bool:
    """Return whether the process has ended, even if it was not reaped."""
    try:
        return "(slurmctld) Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


@pytest.fixture(scope="session")
def slurm(mariadb: Callable[[], str]) -> Iterator[Slurm]:
    """One cluster for all tests that need it."""
    with slurm_cluster(mariadb()) as cluster:
        yield cluster
