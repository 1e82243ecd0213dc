"""A replay on a real Slurm: submit at the right moments, watch, wait, and collect."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from threading import Event, Thread

from schedlab.atomic import atomic_write
from schedlab.errors import InputError, OutputError, ParameterError
from schedlab.slurm.bench.controller_log import copy_log
from schedlab.slurm.bench.submission import COLUMNS, Submission
from schedlab.slurm.real_slurm import RealSlurm, users_here

LEAD_S = 3.0
"""Time from the start of a run to its first submission."""
POLL_S = 2.0
SAMPLES = {
    "sprio.csv": (
        "offset_s|jobid|user|priority|site|age|assoc|fairshare|jobsize|partition|qos|nice|tres",
        ("sprio", "-h", "-o", "%i|%u|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T"),
    ),
    "squeue-start.csv": (
        "offset_s|jobid|name|user|state|reason|priority|submit_epoch|expected_start_epoch|"
        "expected_nodes|nodes_wanted",
        ("squeue", "-h", "--start", "-o", "%i|%j|%u|%T|%r|%Q|%V|%S|%Y|%D"),
    ),
    "sshare.csv": (
        "offset_s|account|user|rawshares|normshares|rawusage|normusage|effectvusage|fairshare|"
        "levelfs",
        (
            *("sshare", "-a", "-l", "-n", "-P", "-o"),
            "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS",
        ),
    ),
}
"""What every sample records: the file, its header, and the command."""
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class RunSettings:
    """How a replay runs.

    Args:
        sample_s: interval at which priorities, expected starts and shares are recorded.
        most_s: time after which jobs that have not ended are cancelled.
    """

    sample_s: float = 30.0
    most_s: float = 86400.0


class RealRun:
    """One replay on a real Slurm.

    Args:
        slurm: the cluster.
        submissions: the submissions in order of time.
        folder: the folder for the records of the replay.
        settings: how the replay runs.
    """

    def __init__(
        self,
        slurm: RealSlurm,
        submissions: Sequence[Submission],
        folder: Path,
        settings: RunSettings | None = None,
    ) -> None:
        self.slurm, self.submissions, self.folder = slurm, list(submissions), folder
        self.settings = settings or RunSettings()
        self.users = users_here({each.user for each in submissions if each.user})
        self.ids: dict[str, str] = {}
        self.lines: list[str] = []
        self.refused: list[str] = []
        self.left: list[str] = []
        self.late_s = 0.0
        self._begin_s = 0.0

    def go(self, progress: Progress = lambda done, total, note: None) -> None:
        """Submit all jobs, wait until they have ended, and collect; cancel all if interrupted."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be made: {error.strerror}") from None
        self._begin_s = float(math.ceil(time.time() + LEAD_S))  # histories begin at whole seconds
        ended = Event()
        watcher = Thread(target=self._watch, args=(ended,), daemon=True)
        watcher.start()
        try:
            for done, each in enumerate(self.submissions):
                self._submit(each)
                progress(done + 1, len(self.submissions), "submitted")
            if not self.ids:
                raise InputError(f"Slurm refused every job; the first: {self.refused[0]}")
            self._wait(progress)
        except BaseException:
            self.slurm.cancel(list(self.ids.values()))
            raise
        finally:
            ended.set()
            watcher.join()
        self._collect()

    def _submit(self, each: Submission) -> None:
        until_s = self._begin_s + each.at_s
        while (left_s := until_s - time.time()) > 0:
            time.sleep(left_s)
        options = list(each.options)
        if each.dependency:
            options.append(f"--dependency={each.depends(self.ids)}")
        begun_s = time.time()
        self.late_s = max(self.late_s, begun_s - until_s)
        try:
            user = each.user if each.user in self.users and os.geteuid() == 0 else None
            new = self.slurm.submit(options, each.script, user)
        except (ParameterError, OSError, subprocess.TimeoutExpired) as error:
            self.refused.append(f"job {each.name}: {error}")
            return
        self.ids[each.name] = new
        told = {
            "jobid": new,
            "submit_offset_s": f"{begun_s - self._begin_s:.3f}",
            "sbatch_s": f"{time.time() - begun_s:.3f}",
            "dependency_ids": each.depends(self.ids),
        }
        self.lines += [
            "|".join({**dict.fromkeys(COLUMNS, ""), **row, **told}[name] for name in COLUMNS)
            for row in each.rows
        ]

    def _wait(self, progress: Progress) -> None:
        own = set(self.ids.values())
        while left := own & self.slurm.waiting_or_running():
            progress(len(own) - len(left), len(own), "ended")
            if time.time() - self._begin_s > self.settings.most_s:
                self.left = sorted(left)
                self.slurm.cancel(self.left)
                return
            time.sleep(POLL_S)

    def _watch(self, ended: Event) -> None:
        """Record priorities, expected starts and shares at intervals until the run ends."""
        for name, (header, _) in SAMPLES.items():
            (self.folder / name).write_text(header + "\n", encoding="utf-8")
        wait_s = LEAD_S
        while not ended.wait(wait_s):
            offset_s = time.time() - self._begin_s
            for name, (_, command) in SAMPLES.items():
                lines = self.slurm.ask(*command).splitlines()
                with (self.folder / name).open("a", encoding="utf-8") as file:
                    file.writelines(f"{offset_s:.1f}|{line.strip()}\n" for line in lines)
            wait_s = self.settings.sample_s

    def _collect(self) -> None:
        """Collect the dump of the cluster, and what only the replay knows."""
        self._run_script()
        boot = self.slurm.config.get("BOOT_TIME", "")
        texts = {
            "submitted.csv": "\n".join(["|".join(COLUMNS), *self.lines]) + "\n",
            "t0.txt": (f"ctld_boot_epoch {boot}\n" if boot.isdecimal() else "")
            + f"t0_epoch {self._begin_s:.3f}\n",
            "sdiag.txt": self.slurm.ask("sdiag"),
        }
        if self.left or self.refused:
            texts["left.txt"] = "\n".join([*self.left, *self.refused]) + "\n"
        for name, text in texts.items():
            with atomic_write(self.folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8")
        log = Path(self.slurm.config.get("SlurmctldLogFile", ""))
        if log.is_file() and os.access(log, os.R_OK):
            copy_log(log, self.folder, self._begin_s)

    def _run_script(self) -> None:
        since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self._begin_s - 60))
        with as_file(files("schedlab.slurm") / "collect-slurm.sh") as script:
            done = subprocess.run(
                ["sh", str(script), str(self.folder), since],
                env=self.slurm.environment,
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            raise OutputError(f"{self.folder}: {done.stderr.strip() or 'cannot be written'}")
