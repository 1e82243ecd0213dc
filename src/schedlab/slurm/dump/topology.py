"""topology.conf: the tree of switches."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schedlab.errors import SchedlabError
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.slurm.dump.conf import Block
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport
from schedlab.slurm.layout import Switch


def switches_of(
    blocks: Sequence[Block], nodes: Collection[str], report: ImportReport
) -> list[Switch]:
    """Return the switches in the order of the file.

    Nodes that slurm.conf does not have are left out.
    """
    switches = []
    named = {block.name for block in blocks}
    for block in blocks:
        if not block.name:
            report.add(
                f"topology.conf.{next(iter(block.entries.values())).key}",
                next(iter(block.entries.values())).value,
                block.where,
                NOT_MODELLED,
                "Only trees of switches are modelled; nodes are chosen without this line.",
            )
            continue
        hosts = _expanded(block, "Nodes")
        known = [host for host in hosts if host in nodes]
        if len(known) < len(hosts):
            report.note(
                f'{block.where}: switch "{block.name}" names {len(hosts) - len(known):,} nodes '
                "that slurm.conf does not have; they are left out."
            )
        below = _expanded(block, "Switches")
        for each in below:
            if each not in named:
                raise block.error(
                    f'switch "{block.name}": Switches names "{each}", which no line describes'
                )
        switches.append(Switch(block.name, fold_hosts(known) or None, below))
    _tell(blocks, report)
    return switches


def leaf_of(switches: Sequence[Switch]) -> dict[str, str]:
    """Return the leaf switch of each node: the first that names it."""
    found: dict[str, str] = {}
    for switch in switches:
        for host in expand_hosts(switch.nodes or ""):
            found.setdefault(host, switch.name)
    return found


def _expanded(block: Block, key: str) -> tuple[str, ...]:
    try:
        return expand_hosts(block.text(key) or "")
    except SchedlabError as error:
        raise block.error(f"{key}: {error}") from None


def _tell(blocks: Sequence[Block], report: ImportReport) -> None:
    told: set[str] = set()
    for block in blocks:
        for key, entry in block.entries.items():
            if not block.name or key in told:
                continue
            told.add(key)
            name = f"topology.conf.{entry.key}"
            if key in ("switchname", "nodes", "switches"):
                report.add(
                    name, entry.value, entry.where, MODELLED, "Part of the tree of switches."
                )
            else:
                report.add(name, entry.value, entry.where, HARMLESS, "No node is chosen for it.")
