"""One HTML file that opens without a network, from a template and figures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from schedlab.errors import MissingExtraError


def require_bokeh() -> None:
    """Say which extra is missing, if it is."""
    try:
        import bokeh.embed  # noqa: F401  (only tried)
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError("bokeh", "viz") from None


def render_page(template: str, figures: Mapping[str, Any], **parts: Any) -> str:
    """The page, with Bokeh's library in it.

    Args:
        template: its path within this package; it extends ``base.html``.
        figures: Bokeh figures, which the template calls ``figures.<name>``.
        parts: whatever else the template shows, ``title`` among it.
    """
    from bokeh.embed import components
    from bokeh.resources import Resources
    from jinja2 import Environment, FunctionLoader

    script, divisions = components(dict(figures))
    return (
        Environment(autoescape=True, loader=FunctionLoader(_template))
        .get_template(template)
        .render(
            library=Resources(mode="inline", components=["bokeh"]).render(),
            script=script,
            figures=divisions,
            **parts,
        )
    )


def _template(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
