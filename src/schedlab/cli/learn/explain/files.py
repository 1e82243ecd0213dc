"""The options that name the files to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from schedlab.rl.explain.estimate import EstimatedRow


@dataclass(frozen=True, kw_only=True)
class Files:
    """The files to write."""

    figure: Annotated[
        Path | None, Option(metavar="FILE", help="Draw the explanation as .png, .pdf or .svg.")
    ] = None
    csv: Annotated[Path | None, Option(metavar="FILE", help="Write the table as CSV.")] = None

    def check(self) -> None:
        """Check before the work that the files can be written after it."""
        from schedlab.atomic import require_writable
        from schedlab.viz.paper import picture_format

        if self.figure is not None:
            picture_format(self.figure)
        for path in self.written():
            require_writable(path)

    def written(self) -> list[Path]:
        """Return the paths of all files to write."""
        return [path for path in (self.figure, self.csv) if path is not None]

    def write_csv(self, rows: Sequence[EstimatedRow]) -> None:
        """Write the table, if asked for."""
        import csv

        from schedlab.atomic import atomic_write

        if self.csv is None:
            return
        cells = [row.to_cells() for row in rows]
        with atomic_write(self.csv) as path, path.open("w", newline="") as file:
            writer = csv.DictWriter(file, cells[0])
            writer.writeheader()
            writer.writerows(cells)
