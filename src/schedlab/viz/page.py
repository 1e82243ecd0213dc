"""One HTML file that opens without a network, from a template and figures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from schedlab.errors import MissingExtraError


def require_bokeh() -> None:
    """Raise MissingExtraError if the libraries of the pages are missing."""
    try:
        import bokeh.embed  # noqa: F401  (only tried)
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError("bokeh", "viz") from None


def render_page(
    template: str, figures: Mapping[str, Any], *, package: str = __package__, **parts: Any
) -> str:
    """Return the page, with Bokeh's library in it.

    Args:
        template: its path within the package; it extends ``base.html``.
        figures: Bokeh figures, which the template calls ``figures.<name>``.
        package: the package of the template, if not this one; files that it does not have are
            taken from this one.
        parts: everything else that the template shows, such as ``title``.
    """
    from bokeh.embed import components
    from bokeh.resources import Resources
    from jinja2 import Environment, FunctionLoader

    def text_of(name: str) -> str:
        own = files(package).joinpath(name)
        found = own if own.is_file() else files(__package__).joinpath(name)
        return found.read_text(encoding="utf-8")

    script, divisions = components(dict(figures))
    return (
        Environment(autoescape=True, loader=FunctionLoader(text_of))
        .get_template(template)
        .render(
            library=Resources(mode="inline", components=["bokeh"]).render(),
            script=script,
            figures=divisions,
            **parts,
        )
    )
