"""schedlab version."""

from __future__ import annotations

import typer

from schedlab.cli.console import AsJson, print_json

EXAMPLES = ("schedlab version", "schedlab version --json")

_PACKAGES = ("numpy", "polars", "pyarrow", "matplotlib", "bokeh")


def version(json: AsJson = False) -> None:
    """Print the versions of schedlab and of the libraries it uses."""
    import platform

    from schedlab.version import __version__

    versions = {
        "schedlab": __version__,
        "python": platform.python_version(),
        **{name: installed(name) for name in _PACKAGES},
    }
    if json:
        print_json(versions)
        return
    for name, number in versions.items():
        typer.echo(f"{name:<10}  {number or 'not installed'}")


def print_version(wanted: bool) -> None:
    """Print the version for ``schedlab --version``, and exit."""
    from schedlab.version import __version__

    if wanted:
        typer.echo(f"schedlab {__version__}")
        raise typer.Exit


def installed(name: str) -> str | None:
    """Return the installed version of the package; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version(name)
    except PackageNotFoundError:
        return None
