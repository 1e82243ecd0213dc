"""schedlab serve."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import print_notes
from schedlab.cli.store_place import require_service
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.history.web.serve import ServicePlace

EXAMPLES = (
    "schedlab serve --demo",
    "schedlab serve --site site.toml --port 8080",
    "schedlab serve --site site.toml --workers 2 --prefix /history",
)
_SITE, _DEMO = Path("site.toml"), Path("out/service-demo")
_WHOLE = "whole"
"""A file that is written last, and so marks a complete demo."""
_RECENT_S = 3_600
"""How long the miniature site is kept before it is made again."""
TWIN, LOOP = "schedlab.cli.served_twin:ServedTwin", "schedlab.cli.served_loop:ServedLoop"
MIRROR = "schedlab.cli.served_mirror:ServedMirror"
"""Classes that are given to the service from here, since the service does not know Slurm."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    site: Annotated[
        Path | None,
        Option("--site", metavar="FILE", help="The site file. Default: site.toml."),
    ] = None,
    store: Annotated[
        str | None,
        Option(
            "--store",
            metavar="URL",
            help="The store: a SQLite file or postgresql://..., instead of that of the site file.",
        ),
    ] = None,
    host: Annotated[str, Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, Option(metavar="N", min=0, max=65_535, help="Port; 0 takes a free one.")
    ] = 8080,
    workers: Annotated[int, Option(metavar="N", min=1, max=1024, help="Worker processes.")] = 1,
    prefix: Annotated[
        str | None,
        Option(metavar="PATH", help="Path under which a proxy serves it, such as /history."),
    ] = None,
    demo: Annotated[
        bool,
        Option("--demo", help="Serve a miniature site, made in out/service-demo."),
    ] = False,
) -> None:
    """Serve a job history as web pages and an API.

    The first run creates an administrator and prints a login token once.
    """
    require_service()
    from schedlab.history.private import exposures
    from schedlab.history.web.serve import ServicePlace, log_to_stderr
    from schedlab.history.web.serve import serve as answer_requests

    if demo and (site or store):
        raise ParameterError("--demo makes a site and a store of its own; name no other")
    if demo and host not in _LOOPBACK:
        raise ParameterError(
            "the passwords of --demo are known to all; it listens at loopback only"
        )
    if demo:
        site = _make_demo()
    elif site is None and (store is None or _SITE.exists()):
        site = _SITE
    named = None if site is None else str(site)
    place = ServicePlace(
        site=named, store=store, prefix=prefix, twin=TWIN, loop=LOOP, mirror=MIRROR
    )

    def listening(url: str) -> None:
        notes = _demo_accounts(place) if demo else _first_run(place)
        settings = place.settings()
        exposed = exposures(settings.store, settings.site)
        print_notes([f"listening at {url}", *notes, *exposed], to_stderr=True)

    log_to_stderr()
    answer_requests(place, host=host, port=port, workers=workers, listening=listening)


def _make_demo() -> Path:
    from schedlab.cli.demo_twin import make_demo_twin
    from schedlab.cli.progress import progress
    from schedlab.history.demo import MONTH, store_demo
    from schedlab.history.store.database import files_of, revisions

    if _is_made(revisions()[-1]):
        return _DEMO / "site.toml"
    # The store holds a month that ended at another time.
    for path in (*files_of(str(_DEMO / "history.db")), _DEMO / _WHOLE):
        path.unlink(missing_ok=True)
    with progress("making a month of jobs"):
        site = store_demo(_DEMO, extent=MONTH.ending_at(time.time()))
        make_demo_twin(site.path)
    (_DEMO / _WHOLE).write_text(revisions()[-1])
    return site.path


def _is_made(revision: str) -> bool:
    """Return whether the demo was made recently, by this version, and completely."""
    whole = _DEMO / _WHOLE
    if not whole.exists() or whole.stat().st_mtime < time.time() - _RECENT_S:
        return False
    return whole.read_text() == revision


def _demo_accounts(place: ServicePlace) -> list[str]:
    from schedlab.history.web.access.first_run import DEMO_PASSWORD, put_demo_accounts
    from schedlab.history.web.database import changing

    with changing(place.settings().store) as connection:
        accounts = put_demo_accounts(connection)
    names = ", ".join(f"{each.name} ({each.role})" for each in accounts)
    return [f'log in as {names}; the password is "{DEMO_PASSWORD}"']


def _first_run(place: ServicePlace) -> list[str]:
    from schedlab.history.web.access.first_run import ADMIN, FIRST_TOKEN_DAYS, first_admin_token
    from schedlab.history.web.database import changing

    with changing(place.settings().store) as connection:
        token = first_admin_token(connection)
    if token is None:
        return []
    return [
        f'first run: log in as "{ADMIN}" with this token as password, or send it to the API; '
        f"it is shown this once, and good for {FIRST_TOKEN_DAYS} days:",
        f"  {token}",
    ]
