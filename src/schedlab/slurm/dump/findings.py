"""What the import read, and what becomes of it: modelled, harmless or not modelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

MODELLED, HARMLESS, NOT_MODELLED = "modelled", "harmless", "not modelled"
VERDICTS = (NOT_MODELLED, MODELLED, HARMLESS)
"""In the order in which an operator wants to read them."""


@dataclass(frozen=True)
class Finding:
    """One parameter that was read.

    Args:
        name: Slurm's name, such as ``SchedulerParameters.bf_interval``.
        value: the value as it was written.
        where: the place, such as ``slurm.conf:12``.
        verdict: one of ``VERDICTS``.
        meaning: what the value means for the twin, in a sentence.
    """

    name: str
    value: str
    where: str
    verdict: str
    meaning: str


@dataclass
class ImportReport:
    """The report of an import."""

    findings: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Gaps, differences and guesses, a sentence each."""
    files: dict[str, str] = field(default_factory=dict)
    """What each file of the dump was read for."""

    def add(self, name: str, value: str, where: str, verdict: str, meaning: str) -> None:
        """Add the finding on a parameter."""
        self.findings.append(Finding(name, value, where, verdict, meaning))

    def note(self, sentence: str) -> None:
        """Add a remark, unless it is there already."""
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    def counts(self) -> dict[str, int]:
        """Return how many parameters there are of each verdict."""
        found = Counter(each.verdict for each in self.findings)
        return {verdict: found[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for import.json."""
        return {
            "counts": self.counts(),
            "files": self.files,
            "remarks": self.remarks,
            "parameters": [asdict(each) for each in self.findings],
        }

    def to_markdown(self, title: str) -> str:
        """Return the report as a page in Markdown."""
        return "\n".join(self._page(title)) + "\n"

    def _page(self, title: str) -> Iterator[str]:
        yield from (f"# {title}", "")
        yield from ("| file | read for |", "|---|---|")
        yield from (_row(name, what) for name, what in self.files.items())
        yield from ("", "## Remarks", "")
        yield from (f"- {each}" for each in self.remarks or ["None."])
        for verdict in VERDICTS:
            found = [each for each in self.findings if each.verdict == verdict]
            yield from ("", f"## {verdict.capitalize()} ({len(found)})", "")
            if found:
                yield from (
                    "| parameter | value | where | what it means here |",
                    "|---|---|---|---|",
                )
            yield from (_row(each.name, each.value, each.where, each.meaning) for each in found)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def shown(values: Iterable[str], most: int = 3) -> str:
    """Return the first few different values."""
    unlike = list(dict.fromkeys(values))
    more = f", ... ({len(unlike)} different)" if len(unlike) > most else ""
    return ", ".join(unlike[:most]) + more
