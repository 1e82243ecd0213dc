"""Ganglia's round-robin databases, read by the program ``rrdtool``."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from schedlab.errors import NoSamplesError, ParameterError, SensorError
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import (
    ItemSection,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
    SourceSection,
)

PATIENCE_S = 120.0
_ERROR = "ERROR: "
CONSOLIDATIONS = ("AVERAGE", "MIN", "MAX")

Wanted = tuple[Path, str]
"""A database, and one of the consolidations that it keeps."""


@dataclass(frozen=True, kw_only=True)
class GangliaSection(SourceSection):
    """``[[sensor_source]] kind = "ganglia"``.

    Args:
        rrds: folder of the databases; gmetad's ``rrd_rootdir``.
        program: command that starts ``rrdtool``.
    """

    rrds: str
    program: str = "rrdtool"


@dataclass(frozen=True, kw_only=True)
class GangliaItem(ItemSection):
    """Where the database of an item lies.

    Args:
        file: path in ``rrds``, with ``{host}``, ``{device}`` and ``{jobid}``.
        ds: the data source within the file; Ganglia's is ``sum``.
    """

    file: str
    ds: str = "sum"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "counter":
            raise ParameterError(
                "rrdtool turns counters into rates; say gauge, and a unit per second"
            )


@dataclass(frozen=True)
class Archive:
    """The rows of one consolidation; each row covers the step before its time."""

    step_s: float
    is_finest: bool
    time_s: list[float]
    value: list[float]


class GangliaSource(SensorSource[GangliaSection, GangliaItem]):
    """Reads databases; ``rrdtool`` takes the finest archive that reaches back far enough."""

    source_section = GangliaSection
    item_section = GangliaItem

    def fetch(self, item: GangliaItem, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return means, with the extremes where the database keeps them."""
        rrds = self.folder / self.section.rrds
        named = {rrds / p.filled(item.file, request.jobid): p for p in request.places(item)}
        files = [path for path in named if path.is_file()]
        if not files:
            raise NoSamplesError(f"{self.name}: no file {rrds / item.file} of these hosts")
        infos = dict(zip(files, self._ask([f'info "{path}"' for path in files]), strict=True))
        sound = {path: text for path, text in infos.items() if not text.startswith(_ERROR)}
        if not sound:
            raise SensorError(f"{files[0]}: {infos[files[0]].removeprefix(_ERROR).strip()}")
        archives = self._archives(item, sound, request)
        return {named[path]: self._series(item, kept) for path, kept in archives.items()}

    def check(self) -> str:
        """Look for the folder and ask the program for its version."""
        folder = self.folder / self.section.rrds
        if not folder.is_dir():
            raise SensorError(f"{self.name}: no folder {folder}")
        version = " ".join(self._run("", ["--version"]).split()[:2])
        return f"{version}; {sum(1 for _ in folder.rglob('*.rrd'))} databases in {folder}"

    def _archives(
        self, item: GangliaItem, infos: dict[Path, str], request: SensorRequest
    ) -> dict[Path, dict[str, Archive]]:
        """Return what each database keeps of that time: means and, perhaps, extremes."""
        wanted = [(p, k) for p in infos for k in CONSOLIDATIONS if f'.cf = "{k}"' in infos[p]]
        archives: dict[Path, dict[str, Archive]] = {}
        for (path, kept), text in self._texts(wanted, infos, request).items():
            archives.setdefault(path, {})[kept] = _parse(path, item.ds, text, infos[path])
        return archives

    def _texts(
        self, wanted: Sequence[Wanted], infos: dict[Path, str], request: SensorRequest
    ) -> dict[Wanted, str]:
        """Return at least two rows of each, since one alone does not show how long a step is."""
        start_s, end_s = int(request.start_s), int(np.ceil(request.end_s))
        texts = self._fetched(start_s, dict.fromkeys(wanted, end_s))
        lone = [each for each, text in texts.items() if len(_rows(text)) == 1]
        longer = {each: start_s + 2 * _coarsest_s(infos[each[0]]) for each in lone}
        return texts | self._fetched(start_s, longer)

    def _fetched(self, start_s: int, ends_s: Mapping[Wanted, int]) -> dict[Wanted, str]:
        if not ends_s:
            return {}
        asked = [
            f'fetch "{p}" {kept} -s {start_s} -e {end_s}' for (p, kept), end_s in ends_s.items()
        ]
        return dict(zip(ends_s, self._ask(asked), strict=True))

    def _series(self, item: GangliaItem, kept: dict[str, Archive]) -> Series:
        if "AVERAGE" not in kept:
            raise SensorError(f'{self.name}: the databases of "{item.name}" keep no averages')
        mean = kept["AVERAGE"]
        # Extremes of another resolution belong to other intervals.
        alike = {name: each.value for name, each in kept.items() if each.time_s == mean.time_s}
        return Series.of_intervals(
            np.array(mean.time_s) - mean.step_s,
            mean.time_s,
            mean.value,
            minimum=alike.get("MIN"),
            maximum=alike.get("MAX"),
            native_step_s=mean.step_s,
            peaks_hidden="MAX" not in alike and not mean.is_finest,
            unit=item.unit,
            source=self.name,
        )

    def _ask(self, commands: list[str]) -> list[str]:
        """Give many commands to one ``rrdtool``; a failed one is answered with ``ERROR``."""
        answers = []
        lines: list[str] = []
        for line in self._run("\n".join(commands) + "\n", ["-"]).splitlines(keepends=True):
            if line.startswith(_ERROR):
                answers.append(line)
                lines = []
            elif line.startswith("OK "):
                answers.append("".join(lines))
                lines = []
            else:
                lines.append(line)
        if len(answers) != len(commands):
            raise SensorError(f"{self.name}: rrdtool answered {len(answers)} of {len(commands)}")
        return answers

    def _run(self, text: str, arguments: list[str]) -> str:
        try:
            done = subprocess.run(
                [self.section.program, *arguments],
                input=text,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise SensorError(f'{self.name}: no program "{self.section.program}"') from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SensorError(f"{self.name}: {self.section.program} failed: {error}") from None
        return done.stdout


def _parse(path: Path, ds: str, text: str, info: str) -> Archive:
    if text.startswith(_ERROR):
        raise SensorError(f"{path}: {text.removeprefix(_ERROR).strip()}")
    head, _, body = text.partition("\n")
    names = head.split()
    if ds not in names:
        raise SensorError(f'{path}: has no data source "{ds}"; has {", ".join(names)}')
    column = names.index(ds)
    rows = _rows(body)
    times = [float(row[0].rstrip(":")) for row in rows]
    step_s = times[1] - times[0]
    return Archive(
        step_s, f"\nstep = {step_s:.0f}\n" in info, times, [float(row[column + 1]) for row in rows]
    )


def _rows(text: str) -> list[list[str]]:
    """Return the words of the lines that begin with a time."""
    return [line.split() for line in text.splitlines() if ":" in line]


def _coarsest_s(info: str) -> int:
    """Return the length of the longest rows that the database has."""
    step_s = int(re.findall(r"^step = (\d+)", info, re.MULTILINE)[0])
    return step_s * max(map(int, re.findall(r"pdp_per_row = (\d+)", info)))
