"""The commands of a real Slurm, run without a shell."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from schedlab.errors import InputError, ParameterError, PeerError
from schedlab.peer_command import answer_of

PROGRAMS = ("sbatch", "scancel", "scontrol", "squeue", "sacct", "sacctmgr", "sprio", "sshare")
TIMEOUT_S = 60


@dataclass(frozen=True)
class RealSlurm:
    """A real cluster whose slurmctld answers.

    Args:
        environment: environment variables with which Slurm's commands find the cluster.
        config: the parameters that ``scontrol show config`` prints.
    """

    environment: Mapping[str, str]
    config: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def find(cls, conf: Path | None = None) -> RealSlurm:
        """Find the cluster of this machine or of a slurm.conf; raise InputError if none answers."""
        missing = [name for name in PROGRAMS if which(name) is None]
        if missing:
            raise InputError(f"{missing[0]}: not found; this needs the commands of Slurm")
        environment = dict(os.environ, SLURM_TIME_FORMAT="%s", TZ="UTC")
        if conf is not None:
            if not conf.is_file():
                raise InputError(f"{conf}: no such file")
            environment["SLURM_CONF"] = str(conf.resolve())
        for name in [each for each in environment if each.startswith("SBATCH_")]:
            del environment[name]
        silent = cls(environment)
        text = silent.ask("scontrol", "show", "config")
        pairs = re.findall(r"^(\w+)\s*= (.*)$", text, re.MULTILINE)
        if not pairs:
            raise InputError("scontrol show config: no slurmctld answers")
        return cls(environment, {key: value.strip() for key, value in pairs})

    def run(self, *command: str, timeout_s: float = TIMEOUT_S) -> str:
        """Return what a command prints; raise PeerError if it fails, or does not answer in time."""
        return answer_of(*command, environment=self.environment, timeout_s=timeout_s)

    def ask(self, *command: str) -> str:
        """Return what a command prints; an empty text if it fails."""
        try:
            return self.run(*command)
        except PeerError:
            return ""

    def submit(self, options: Sequence[str], script: str, user: str | None) -> str:
        """Return the id of a new job, submitted as this user; None is the user of this process."""
        command = ["sbatch", "--parsable", "--output=/dev/null", "--chdir=/", *options]
        account = pwd.getpwnam(user) if user else None
        done = subprocess.run(
            [*command, "--wrap", script],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )
        if done.returncode:
            raise ParameterError(done.stderr.strip().splitlines()[-1] if done.stderr else "failed")
        return done.stdout.strip().partition(";")[0]

    def waiting_or_running(self) -> set[str]:
        """Return the ids of all jobs that have not ended; an array has one id for all tasks."""
        return set(self.ask("squeue", "--noheader", "--format=%F").split())

    def cancel(self, ids: Sequence[str]) -> None:
        """Cancel these jobs."""
        for at in range(0, len(ids), 500):
            self.ask("scancel", *ids[at : at + 500])


def users_here(names: set[str]) -> set[str]:
    """Return the users that this process can submit as; root can submit as any existing user."""
    if os.geteuid() != 0:
        return names & {pwd.getpwuid(os.geteuid()).pw_name}
    known = {each.pw_name for each in pwd.getpwall()}
    return names & known
