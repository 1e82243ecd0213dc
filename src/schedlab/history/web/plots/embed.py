"""How a figure gets into a page: as data that a script of ours passes to Bokeh's library."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

LIBRARY = "bokeh.min.js"


def library_folder() -> Path:
    """Return the folder in which the installed Bokeh keeps its library for browsers.

    Bokeh itself is not loaded.
    """
    spec = find_spec("bokeh")
    assert spec is not None, "a dependency of the service"
    assert spec.submodule_search_locations is not None, "it is a package"
    return Path(spec.submodule_search_locations[0]) / "server" / "static" / "js"


def figure_data(figure: Any) -> Any:
    """Return the figure as JSON, for ``figure()`` of ``figures.html``."""
    from bokeh.embed import json_item
    from bokeh.models import Plot

    # The background is the page's: if it began white, white edges would stay on a dark page.
    for plot in figure.select({"type": Plot}):
        plot.background_fill_color = plot.border_fill_color = None
    return json_item(figure)
