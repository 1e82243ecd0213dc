"""Addresses of accelerators' timelines in a release."""

from __future__ import annotations

from tests.history.records import job

from schedlab.history.pseudonyms import PseudonymPolicy, Release
from schedlab.history.schema.timeline import parse_timeline_uri

UUID = "GPU-5e1f"
SPAN = "from=20231115T120010%2B0000&to=20231115T120150%2B0000"
URI = f"timelines/one/1/n01/accelerator.power_watt/{UUID}?{SPAN}"
DEVICES = [{"uuid": "GPU-0000"}, {"uuid": UUID, "power_watt": URI}]


def released(policy: PseudonymPolicy) -> str:
    """Return the released address of the second accelerator's power."""
    record = job("1", per_host=[{"node_id": "n01", "accelerator": DEVICES}])
    document = record.model_dump(mode="json", exclude_none=True)
    given = Release("test", b"k" * 32, policy).apply(document)
    uri: str = given["per_host"][0]["accelerator"][1]["power_watt"]
    return uri


def test_a_device_is_called_by_its_place() -> None:
    """A device's serial number would lead to its node, whose name is hidden."""
    for treatment in ("pseudonym", "drop"):
        uri = released(PseudonymPolicy(node=treatment))
        assert parse_timeline_uri(uri).device == "1"
        assert UUID not in uri


def test_a_device_keeps_its_name_where_nodes_do() -> None:
    """There is nothing to hide if node names are kept."""
    assert parse_timeline_uri(released(PseudonymPolicy(node="keep"))).device == UUID
