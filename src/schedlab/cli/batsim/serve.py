"""schedlab batsim serve."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.live.batsim import Served

EXAMPLES = (
    "schedlab batsim serve --policy easy",
    "schedlab batsim serve --policy sjf+easy:predict=last-two --endpoint tcp://127.0.0.1:28001",
    "schedlab batsim serve --policy learned:small.onnx --request 86400 --json",
)


def serve(
    policy: Annotated[
        str,
        Option(metavar="P", help="The policy that decides, such as easy or learned:FILE."),
    ],
    endpoint: Annotated[
        str,
        Option(
            metavar="ENDPOINT",
            help="ZeroMQ address at which Batsim connects; * as the port takes a free one.",
        ),
    ] = "tcp://127.0.0.1:28000",
    tick: Annotated[
        int,
        Option(metavar="S", min=0, help="Seconds between decisions; 0: decide at once."),
    ] = 0,
    depth: Annotated[
        int | None,
        Option(
            metavar="D", min=1, help="Number of waiting jobs that a pass considers. Default: all."
        ),
    ] = None,
    request: Annotated[
        int | None,
        Option(
            metavar="S",
            min=1,
            help="Request for jobs without a walltime; without this option they are an error.",
        ),
    ] = None,
    timeout: Annotated[
        int,
        Option(metavar="S", min=1, help="Seconds without a message before giving up."),
    ] = 600,
    json: AsJson = False,
) -> None:
    """Schedule for a running Batsim (4.x) with a policy, until its simulation ends.

    Exit code 1: Batsim stopped answering or broke its protocol.
    """
    from schedlab.live.batsim import Session
    from schedlab.live.batsim.server import serve as answer_messages

    session = Session(policy, tick=tick, depth=depth, default_request_s=request)
    answer_messages(
        session,
        endpoint,
        timeout_s=timeout,
        listening=lambda where: print_notes([f"listening at {where}"], to_stderr=True),
    )
    if json:
        print_json(asdict(session.served))
    else:
        print_notes(_notes(session.served), to_stderr=False)


def _notes(served: Served) -> list[str]:
    ended = f"{served.ended:,} jobs ended on {served.nodes:,} nodes under {served.policy}"
    others = {"reached their walltime": served.killed, "were rejected as too wide": served.rejected}
    return [ended, *(f"{count:,} {what}" for what, count in others.items() if count)]
