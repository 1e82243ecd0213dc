"""How a site stores and releases its history: sections of the site file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import ParameterError
from schedlab.history.pseudonyms.policy import PseudonymPolicy

_MOST_MONTHS = 1_200


@dataclass(frozen=True, kw_only=True)
class StoreSection:
    """``[store]``: the database of the jobs.

    Args:
        url: ``postgresql://...``, or a SQLite file.
    """

    url: str = "history.db"

    def located(self, folder: Path) -> str:
        """Return the URL; the name of a file is taken relative to the folder."""
        return self.url if "://" in self.url else str(folder / self.url)


@dataclass(frozen=True, kw_only=True)
class ArchiveSection:
    """``[archive]``: Parquet files of old jobs, and of timelines that their source will forget.

    Args:
        folder: folder of the files.
        move_after_months: ``schedlab history archive`` moves jobs there this long after their end.
        delete_after_months: the same command deletes from the archive what is older than this.
    """

    folder: str
    move_after_months: int | None = None
    delete_after_months: int | None = None

    def __post_init__(self) -> None:
        for key in ("move_after_months", "delete_after_months"):
            value = getattr(self, key)
            if value is not None and not 1 <= value <= _MOST_MONTHS:
                raise ParameterError(f"{key} is {value}; must be 1 to {_MOST_MONTHS}")
        move, delete = self.move_after_months, self.delete_after_months
        if move is not None and delete is not None and delete < move:
            raise ParameterError(
                f"delete_after_months is {delete}; must be {move} or more, as move_after_months"
            )


@dataclass(frozen=True, kw_only=True)
class ReleaseSection(PseudonymPolicy):
    """``[release]``: what becomes of names in exports that are given away.

    Args:
        key: the file with the secret from which pseudonyms are made.
    """

    key: str = "release.key"
