"""schedlab workload catalog."""

from __future__ import annotations

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes

EXAMPLES = ("schedlab workload catalog", "schedlab workload catalog --json")


def catalog(json: AsJson = False) -> None:
    """List public traces that can be fetched by name."""
    from schedlab.workload import CATALOG
    from schedlab.workload.catalog import ARCHIVE, CITATION
    from schedlab.workload.fetch import find

    if json:
        print_json([_entry(name) for name in CATALOG])
        return
    table = new_table("trace", "machine", "jobs", "fetched", text_columns=2)
    for name, trace in CATALOG.items():
        table.add_row(name, trace.machine, f"{trace.jobs:,}", "yes" if find(name) else "")
    out().print(table, "", sep="\n")
    print_notes(
        [
            "Fetch one: schedlab workload fetch KTH-SP2-1996-2.1-cln",
            f"Source: {ARCHIVE}",
            f"Please cite: {CITATION}",
        ],
        to_stderr=False,
    )


def _entry(name: str) -> dict[str, object]:
    from schedlab.workload import CATALOG
    from schedlab.workload.fetch import find

    trace, path = CATALOG[name], find(name)
    return {
        "name": name,
        "machine": trace.machine,
        "jobs": trace.jobs,
        "donor": trace.donor,
        "home_page": trace.home_page,
        "sha256": trace.sha256,
        "citation": trace.citation,
        "path": None if path is None else str(path),
    }
