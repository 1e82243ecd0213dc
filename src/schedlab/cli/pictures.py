"""Pictures of schedules: an interactive report, and a picture for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from schedlab.atomic import require_writable
from schedlab.errors import MissingExtraError

if TYPE_CHECKING:
    from schedlab.sim import Schedule


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """The pictures to draw of the schedules."""

    report: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write an interactive report, one HTML file."),
    ] = None
    figure: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw a picture as .png, .pdf or .svg."),
    ] = None
    figure_kind: Annotated[
        Literal["comparison", "gantt", "over-time", "cdf", "incentive"],
        Option(
            metavar="KIND",
            help="Which picture --figure draws: comparison, gantt, over-time, cdf or incentive.",
        ),
    ] = "comparison"

    def check(self) -> None:
        """Check before the runs that the pictures can be drawn and written after them."""
        from schedlab.viz.paper import picture_format

        if self.report is not None:
            _require("bokeh")
            require_writable(self.report)
        if self.figure is not None:
            _require("matplotlib")
            picture_format(self.figure)
            require_writable(self.figure)

    def draw(self, schedules: Sequence[Schedule], metrics: Sequence[str]) -> list[Path]:
        """Draw the requested pictures; the metrics are those of the comparison picture."""
        from schedlab.cli.progress import progress
        from schedlab.viz import PICTURES, save_figure, write_report

        with progress("drawing"):
            if self.report is not None:
                write_report(schedules, self.report)
            if self.figure is not None:
                chosen = {"metrics": metrics} if self.figure_kind == "comparison" else {}
                save_figure(PICTURES[self.figure_kind](schedules, **chosen), self.figure)
        return [path for path in (self.report, self.figure) if path is not None]


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise MissingExtraError(package, "viz")
