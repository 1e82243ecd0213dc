"""Timeline items: one object in Python, six names in JSON, and URIs that hold every part."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.history.schema.job import HostUse
from schedlab.history.schema.timeline import Timeline, TimelineUri, parse_timeline_uri
from schedlab.history.schema.times import from_epoch

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


def test_the_names_beside_a_timeline_become_one_object() -> None:
    """The paper puts x_avg and x_max beside x; code wants them together."""
    host = HostUse.model_validate(
        {
            "node_id": "n01",
            "power_watt": "timelines/a",
            "power_watt_avg": 200,
            "power_watt_provenance": {"unit": "W", "coverage": 0.5},
        }
    )
    power = host.timelines["power_watt"]
    assert (power.uri, power.avg, power.max) == ("timelines/a", 200, None)
    assert power.provenance is not None
    assert power.provenance.coverage == 0.5


def test_a_site_may_add_timelines_by_the_same_rules() -> None:
    """Any item with provenance is a timeline, known to the schema or not."""
    given = {"node_id": "n01", "inlet_celsius_avg": 21.5, "inlet_celsius_provenance": {}}
    host = HostUse.model_validate(given)
    assert host.timelines["inlet_celsius"].avg == 21.5
    assert json.loads(host.model_dump_json(exclude_none=True)) == given


def test_json_comes_back_as_it_was() -> None:
    """Nothing that a site records may be lost on the way, unknown items included."""
    given = {
        "node_id": "n01",
        "used_cpu_percent": "timelines/b",
        "used_cpu_percent_max": 99.5,
        "energy_joule_integral": 5000,
        "storage": {"access_bytes_avg": 3},
        "accelerator": [{"uuid": "GPU-1", "utilization_percent_avg": 7, "fan_rpm": 900}],
        "rack": {"row": 3},
    }
    host = HostUse.model_validate(given)
    assert json.loads(host.model_dump_json(exclude_none=True)) == given


def test_a_timeline_set_in_python_is_written_flat() -> None:
    """Measuring fills objects; readers of JSON see the paper's names."""
    host = HostUse(node_id="n01")
    host.timelines["power_watt"] = Timeline(uri="u", avg=1.5, max=2)
    written = json.loads(host.model_dump_json(exclude_none=True))
    assert written == {
        "node_id": "n01",
        "power_watt": "u",
        "power_watt_avg": 1.5,
        "power_watt_max": 2,
    }


@given(words, words, words, words, st.one_of(st.none(), words))
def test_a_uri_gives_back_what_it_was_made_of(
    cluster: str, jobid: str, host: str, item: str, device: str | None
) -> None:
    """Ids hold slashes, brackets and anything else; the URI must not mix them up."""
    uri = TimelineUri(cluster, jobid, host, item, from_epoch(10), from_epoch(20), device)
    assert parse_timeline_uri(str(uri)) == uri
    assert parse_timeline_uri(f"https://site.example/api/{uri}") == uri


@pytest.mark.parametrize(
    "uri", ["", "timelines/a/b", "timelines/a/b/c/d", "timelines/a/b/c/d?from=x&to=y"]
)
def test_what_is_no_timeline_is_refused(uri: str) -> None:
    """A wrong URI must not fetch some other job's series."""
    with pytest.raises(InputError):
        parse_timeline_uri(uri)
