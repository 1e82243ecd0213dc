"""The options for the site and for the store of its history."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, timezone
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from schedlab.history.site import Site
    from schedlab.history.store import Store

_HISTORY = ("alembic", "duckdb", "httpx", "pydantic", "sqlalchemy")
_SERVICE = ("argon2", "authlib", "fastapi", "jinja2", "python_multipart", "uvicorn")


@dataclass(frozen=True, kw_only=True)
class StoreLocation:
    """A site file, a store, or both."""

    site: Annotated[Path, Option(metavar="FILE", help="The site file.")] = Path("site.toml")
    store: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="The store: a SQLite file or postgresql://..., instead of that of the site file.",
        ),
    ] = None

    def read(self) -> Site:
        """Return the site that the file describes."""
        require_history()
        from schedlab.history.site import read_site

        if not self.site.exists():
            raise InputError(
                f"{self.site}: no such site file; name yours with --site, or write one with: "
                "schedlab history init"
            )
        return read_site(self.site)

    def url(self) -> str:
        """Return the URL of the store, from the option or the site file."""
        return self.store or self.read().store.located(self.site.parent)

    def exposures(self) -> list[str]:
        """Return remarks on what others can reach: the store, and what the site file names."""
        from schedlab.history.private import exposures

        return exposures(self.url(), self.read() if self.site.exists() else None)

    def zone(self) -> timezone:
        """Return the offset in which times are written: that of the site's standard time."""
        if not self.site.exists():
            return UTC
        from schedlab.history.export.zone import standard_offset

        return standard_offset(self.read().about.time_zone)

    def nodes(self, clusters: Collection[str] = ()) -> int | None:
        """Return the number of nodes of these clusters, or of all clusters.

        Return None if the site file does not say.
        """
        described = self.read().clusters if self.site.exists() else ()
        sizes = {each.name: each.nodes for each in described}
        named = {name: sizes.get(name, 0) for name in clusters or sizes}
        return sum(named.values()) if named and all(named.values()) else None

    def open(self) -> Store:
        """Return the store, which must exist."""
        require_history()
        from schedlab.command_files import input_file
        from schedlab.history.store import Store

        store = Store.open(self.url())
        if store.url.get_backend_name() == "sqlite":
            input_file(str(store.url.database))
        return store


def require_history() -> None:
    """Raise a one-line error if a package of the history is missing."""
    for package in _HISTORY:
        if find_spec(package) is None:
            raise MissingExtraError(package, "history")


def require_service() -> None:
    """Require the packages of the web service, which include the history's."""
    for package in (*_HISTORY, *_SERVICE):
        if find_spec(package) is None:
            raise MissingExtraError(package, "web")
