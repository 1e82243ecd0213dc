"""schedlab coalloc agent."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from schedlab.cli.console import print_notes

EXAMPLES = (
    "schedlab coalloc agent --listen 127.0.0.1:7001",
    "schedlab coalloc agent --listen 0.0.0.0:7001 --once",
)


def agent(
    listen: Annotated[
        str, Option(metavar="HOST:PORT", help="Where coordinator and agents connect; 0: any port.")
    ],
    once: Annotated[
        bool, Option("--once", help="End with the first session, or after 60 s.")
    ] = False,
) -> None:
    """Run an agent for coalloc solve --at HOST:PORT, on this machine or another.

    The environment variable SCHEDLAB_AGENT_SECRET holds the secret that all of them share.

    Messages are authenticated, not encrypted: use only networks you trust.
    """
    import socket

    from schedlab.coalloc.agents import shared_secret
    from schedlab.coalloc.agents.channel import parse_address
    from schedlab.coalloc.agents.server import serve
    from schedlab.errors import ParameterError

    secret, address = shared_secret(), parse_address(listen)
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server(address, family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ParameterError(f"cannot listen at {listen}: {reason}") from None
    with listener:
        host, port = listener.getsockname()[:2]
        print_notes([f"listening at {host}:{port}"], to_stderr=True)
        serve(listener, secret, once=once)
