"""Grid Engine 8.1.9: qmaster and one execution host, in a folder and a network of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from tests.services.processes import require_program
from tests.services.users import ANN, BOB, unix_users
from tests.services.waiting import until

HOST = socket.gethostname()
SLOTS = 16

_GLOBAL = {
    "load_report_time": "00:00:01",
    "reporting_params": "accounting=true reporting=false flush_time=00:00:01 joblog=false "
    "sharelog=00:00:00 accounting_flush_time=00:00:00",
}
_SCHEDULER = {
    "schedule_interval": "0:0:1",
    "flush_submit_sec": "1",
    "flush_finish_sec": "1",
}
_QUEUE = {
    "qname": "all.q",
    "hostlist": HOST,
    "slots": str(SLOTS),
    "pe_list": "smp",
    "shell": "/bin/bash",
    "load_thresholds": "NONE",
    "rerun": "TRUE",
}
_PARALLEL = """\
pe_name smp
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $pe_slots
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""


@dataclass(frozen=True)
class GridEngineCell:
    """A running cell."""

    folder: Path
    network: str

    @property
    def accounting(self) -> Path:
        """The file that qmaster writes when jobs end."""
        return self.folder / "root" / "default" / "common" / "accounting"

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which commands find the cell, within its network."""
        ports = {"SGE_QMASTER_PORT": "6444", "SGE_EXECD_PORT": "6445"}
        return {"SGE_ROOT": f"{self.folder}/root", "SGE_CELL": "default", **ports}

    def inside(self, *command: str) -> list[str]:
        """Return a command line that runs in the cell's network."""
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        return ["ip", "netns", "exec", self.network, "env", *settings, *command]

    def attempt(self, *command: str, user: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command in the cell's network; it may fail."""
        own = ["runuser", "-u", user, "--"] if user else []
        return subprocess.run(
            self.inside(*own, "env", "SGE_SINGLE_LINE=1", "TZ=UTC", *command),
            check=False,
            capture_output=True,
            text=True,
            cwd=self.folder / "jobs",
        )

    def run(self, *command: str, user: str | None = None) -> str:
        """Return what a command prints; it must succeed."""
        done = self.attempt(*command, user=user)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def submit(self, user: str, *options: str) -> str:
        """Return the id of a new job, or of an array of them."""
        return self.run("qsub", "-terse", *options, user=user).strip().partition(".")[0]

    def change(self, show: tuple[str, ...], put: str, changes: dict[str, str]) -> None:
        """Set attributes of a configuration that one option shows and another puts back."""
        lines = [
            f"{line.split()[0]} {changes.get(line.split()[0], ' '.join(line.split()[1:]))}"
            for line in self.run("qconf", *show).splitlines()
            if line.strip() and not line.startswith("#")
        ]
        name = "global" if put == "-Mconf" else "settings"
        (self.folder / name).write_text("\n".join(lines) + "\n")
        self.run("qconf", put, str(self.folder / name))


@contextmanager
def grid_engine_cell() -> Iterator[GridEngineCell]:
    """Run a cell of one host; it listens on all addresses, so its network has only loopback."""
    for program in ("sge_qmaster", "sge_execd", "qconf", "ip"):
        require_program(program)
    with (
        unix_users(ANN, BOB),
        tempfile.TemporaryDirectory(prefix="schedlab-sge-", ignore_cleanup_errors=True) as name,
        _network(f"schedlab{os.getpid()}-{next(_NUMBERS)}") as network,
    ):
        cell = GridEngineCell(Path(name), network)
        cell.folder.chmod(0o755)
        _install(cell)
        try:
            _start(cell)
            yield cell
        finally:
            # A normal stop takes ten seconds, to save what is thrown away here.
            for pid in _daemons(network):
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            until(lambda: not _daemons(network), "Grid Engine has stopped")


_NUMBERS = count(1)
"""A process may have several cells."""


@contextmanager
def _network(name: str) -> Iterator[str]:
    """Make a network that has only loopback."""
    hosts = Path("/etc/netns") / name
    hosts.mkdir(parents=True)
    shutil.copy("/etc/hosts", hosts / "hosts")
    try:
        subprocess.run(["ip", "netns", "add", name], check=True)
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)
        shutil.rmtree(hosts)
        with suppress(OSError):
            hosts.parent.rmdir()


def _daemons(network: str) -> list[str]:
    """Return the processes that live in the network, without those that ended unreaped."""
    listed = subprocess.run(
        ["ip", "netns", "pids", network], check=True, capture_output=True, text=True
    )
    return [pid for pid in listed.stdout.split() if " Z " not in _status(pid)]


def _status(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return " Z "


def _install(cell: GridEngineCell) -> None:
    folder = cell.folder
    common = folder / "root" / "default" / "common"
    common.mkdir(parents=True)
    for part in ("spool/qmaster", "spool/spooldb", "spool/execd", "jobs"):
        (folder / part).mkdir(parents=True)
    (folder / "jobs").chmod(0o1777)
    for part in ("bin", "lib", "utilbin", "util"):
        source = Path("/var/lib/gridengine") / part
        shutil.copytree(source, folder / "root" / part, symlinks=True)
    (common / "bootstrap").write_text(
        "admin_user sgeadmin\ndefault_domain none\nignore_fqdn false\n"
        "spooling_method berkeleydb\nspooling_lib libspoolb\n"
        f"spooling_params {folder}/spool/spooldb\nbinary_path /usr/sbin\n"
        f"qmaster_spool_dir {folder}/spool/qmaster\nsecurity_mode none\n"
        "listener_threads 2\nworker_threads 2\nscheduler_threads 1\n"
    )
    (common / "act_qmaster").write_text(f"{HOST}\n")
    (common / "cluster_name").write_text("testcl\n")
    (common / "host_aliases").write_text(f"{HOST} localhost\n")
    for part in ("root", "spool"):
        subprocess.run(["chown", "-R", "sgeadmin:", str(folder / part)], check=True)
    script = "/usr/share/gridengine/scripts/init_cluster"
    options = [f"{folder}/root", "default", f"{folder}/spool/spooldb", "sgeadmin"]
    as_admin = ["runuser", "-u", "sgeadmin", "--"]
    subprocess.run([*as_admin, script, *options], check=True, capture_output=True)


def _start(cell: GridEngineCell) -> None:
    cell.run("sge_qmaster")
    until(lambda: cell.attempt("qconf", "-sconf", "global").returncode == 0, "qmaster answers")
    cell.attempt("qconf", "-as", HOST)
    spool = {"execd_spool_dir": f"{cell.folder}/spool/execd"}
    cell.change(("-sconf", "global"), "-Mconf", _GLOBAL | spool)
    host = "".join(
        f"{name} NONE\n"
        for name in (
            *("load_scaling", "complex_values", "user_lists", "xuser_lists", "projects"),
            *("xprojects", "usage_scaling", "report_variables"),
        )
    )
    for name, option, text in (
        ("host", "-Ae", f"hostname {HOST}\n{host}"),
        ("pe", "-Ap", _PARALLEL),
    ):
        (cell.folder / name).write_text(text)
        cell.run("qconf", option, str(cell.folder / name))
    cell.change(("-sq",), "-Aq", _QUEUE)
    cell.change(("-ssconf",), "-Msconf", _SCHEDULER)
    cell.run("sge_execd")
    until(lambda: "lx-" in cell.run("qhost"), "the execution host reports")


@pytest.fixture(scope="session")
def grid_engine() -> Iterator[GridEngineCell]:
    """One cell for all tests that need it."""
    with grid_engine_cell() as cell:
        yield cell
