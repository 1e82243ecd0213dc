"""Where a site keeps its history, and how it gives it away: sections of the site file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.history.pseudonyms.policy import Policy


@dataclass(frozen=True, kw_only=True)
class StoreSection:
    """``[store]``: the database of the jobs.

    Args:
        url: ``postgresql://...``, or a SQLite file.
    """

    url: str = "history.db"

    def located(self, folder: Path) -> str:
        """The URL, with a file's name counted from that folder."""
        return self.url if "://" in self.url else str(folder / self.url)


@dataclass(frozen=True, kw_only=True)
class ArchiveSection:
    """``[archive]``: timelines are copied into Parquet files, for when their source forgets.

    Args:
        folder: of the files.
    """

    folder: str


@dataclass(frozen=True, kw_only=True)
class ReleaseSection(Policy):
    """``[release]``: what becomes of names in exports that are given away.

    Args:
        key: the file with the secret under which pseudonyms are made.
    """

    key: str = "release.key"
