"""The catalog of public traces."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from schedlab.errors import UnknownNameError
from schedlab.workload import CATALOG
from schedlab.workload.catalog import catalogued

TRACES = Path(__file__).parents[3] / "shared" / "data" / "swf"


@pytest.mark.parametrize("name", CATALOG)
def test_every_trace_can_be_found_verified_and_credited(name: str) -> None:
    """Home page, digest, donor and citation are what the archive and its users need."""
    trace = CATALOG[name]
    assert trace.name == name
    assert re.fullmatch("[0-9a-f]{64}", trace.sha256)
    assert trace.home_page.endswith(f"/{trace.folder}/")
    assert trace.donor in trace.citation
    assert trace.jobs > 10_000


def test_digests_and_folders_are_all_different() -> None:
    """A copied row would verify the wrong file."""
    assert len({trace.sha256 for trace in CATALOG.values()}) == len(CATALOG) == 13
    assert len({trace.folder for trace in CATALOG.values()}) == len(CATALOG)


def test_an_unknown_trace_suggests_the_nearest() -> None:
    """Versions are easily mistyped."""
    with pytest.raises(UnknownNameError, match=r'did you mean "KTH-SP2-1996-2\.1-cln"'):
        catalogued("KTH-SP2-1996-2-cln")


def test_digests_are_those_of_the_traces_at_hand() -> None:
    """If a trace lies beside the project, the catalog describes that very file."""
    at_hand = [entry for entry in CATALOG.values() if (TRACES / entry.file_name).exists()]
    if not at_hand:
        pytest.skip("no trace of the catalog beside the repository")
    for entry in at_hand:
        digest = hashlib.sha256((TRACES / entry.file_name).read_bytes()).hexdigest()
        assert digest == entry.sha256, entry.file_name
