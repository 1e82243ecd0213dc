"""The options that say where the cells of an experiment are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.experiments import Engine

_COMPUTING = "Computing"


@dataclass(frozen=True, kw_only=True)
class Computing:
    """Where to compute."""

    workers: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=1024,
            help="Processes side by side.",
            show_default="one per processor",
            rich_help_panel=_COMPUTING,
        ),
    ] = None
    engine: Annotated[
        Literal["local", "ray"],
        Option(
            metavar="local|ray",
            help="Processes on this machine, or tasks of Ray.",
            rich_help_panel=_COMPUTING,
        ),
    ] = "local"
    address: Annotated[
        str | None,
        Option(
            metavar="auto|HOST:PORT",
            help="The Ray cluster; auto is the one on this machine.",
            show_default="a Ray of its own",
            rich_help_panel=_COMPUTING,
        ),
    ] = None

    def chosen(self) -> Engine:
        """Return the engine that the options describe."""
        if self.engine == "ray":
            from schedlab.experiments import RayEngine

            return RayEngine(self.workers, address=self.address)
        if self.address is not None:
            raise ParameterError(f"--address {self.address} needs --engine ray")
        from schedlab.experiments import LocalEngine

        return LocalEngine(self.workers)
