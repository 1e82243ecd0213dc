"""How the Prometheus source handles answers, good and broken ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.services.scripted import Answer, Scripted

from schedlab.errors import InputError, SchedlabError, SensorError
from schedlab.history.sensors import MeasuringPoint, SensorRequest, make_sensor_source
from schedlab.history.sensors.source import AnySensorSource

POWER = {"name": "power_watt", "unit": "W", "query": 'power{instance=~"{host}(:.*)?"}'}


def source(url: str, *items: dict[str, Any], **settings: Any) -> AnySensorSource:
    """Return a source that asks this server."""
    section = {"kind": "prometheus", "name": "prom", "url": url, "item": list(items or [POWER])}
    return make_sensor_source(section | settings, Path())


def matrix(*series: tuple[dict[str, str], list[list[Any]]]) -> dict[str, Any]:
    """Return an answer with these series."""
    result = [{"metric": labels, "values": values} for labels, values in series]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def read(url: str, **settings: Any) -> Any:
    """Return the power of n01 in the first two minutes."""
    request = SensorRequest({"n01": ()}, 0, 120)
    return source(url, **settings).read("power_watt", request)[MeasuringPoint("n01")]


def test_hosts_are_asked_for_together(scripted: Scripted) -> None:
    """One query serves many hosts; ports and domains in labels do not matter."""
    scripted.answer = lambda _: matrix(
        ({"instance": "n01:9100"}, [[0, "1"], [60, "2"]]),
        ({"instance": "n02.example.org:9100"}, [[0, "3"], [60, "4"]]),
        ({"instance": "x99:9100"}, [[0, "5"]]),
    )
    found = source(scripted.url).read("power_watt", SensorRequest({"n01": (), "n02": ()}, 0, 120))
    assert {place: list(series.mean) for place, series in found.items()} == {
        MeasuringPoint("n01"): [1, 2],
        MeasuringPoint("n02"): [3, 4],
    }
    assert scripted.asked[0]["query"].startswith('power{instance=~"(n01|n02)(:.*)?"}[')


def test_long_times_are_asked_for_in_chunks(scripted: Scripted) -> None:
    """No answer is larger than what a server is willing to give."""
    scripted.answer = lambda _: matrix()
    source(scripted.url).read("power_watt", SensorRequest({"n01": ()}, 0, 86400))
    assert len(scripted.asked) == 7
    item = {**POWER, "step_s": 1, "query": "2 * power"}
    scripted.asked.clear()
    source(scripted.url, item).read("power_watt", SensorRequest({"n01": ()}, 0, 86400))
    for asked in scripted.asked:
        assert (float(asked["end"]) - float(asked["start"])) / float(asked["step"]) < 11_000


def test_names_are_taken_literally(scripted: Scripted) -> None:
    """A dot in a host's name is no pattern, and a quote cannot end the text."""
    scripted.answer = lambda _: matrix()
    source(scripted.url).read("power_watt", SensorRequest({'n.1"}x': ()}, 0, 120))
    assert "(n[.]1.[}]x)" in scripted.asked[0]["query"]


def test_values_that_are_no_numbers_are_gaps(scripted: Scripted) -> None:
    """Exporters give NaN or infinity when they cannot measure."""
    values = [[0, "1"], [30, "NaN"], [60, "+Inf"], [90, "4"]]
    scripted.answer = lambda _: matrix(({"instance": "n01"}, values))
    series = read(scripted.url)
    assert list(series.mean) == [1, 4]
    assert list(series.end_s) == [30, 120]


def test_answers_out_of_order_are_put_in_order(scripted: Scripted) -> None:
    """Whatever order a server answers in, time goes forward."""
    values = [[60, "2"], [0, "1"], [90, "3"], [60, "2"]]
    scripted.answer = lambda _: matrix(({"instance": "n01"}, values))
    assert list(read(scripted.url).mean) == [1, 2, 3]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(b"<html>502 Bad Gateway</html>", 500), "answered with status 500: '<html>502"),
        (Answer(b"<html>Log in</html>"), "something other than JSON: '<html>Log in</html>'"),
        (Answer(b""), "something other than JSON"),
        (Answer(b"[1, 2"), "something other than JSON"),
        ({"status": "error", "error": "parse error"}, "refused the query .*: parse error"),
        (Answer(b'{"status": "error", "error": "parse error"}', 400), "refused .*: parse error"),
        ([1, 2], r"refused the query .*: \[1, 2\]"),
        ({"status": "success"}, "its answer has no data.result"),
        ({"status": "success", "data": {"result": {}}}, "its answer has no data.result"),
        (matrix(({"instance": "n01"}, [[0, "many"]])), "is not a matrix"),
        (matrix(({"instance": "n01"}, [["0"]])), "is not a matrix"),
        ({"status": "success", "data": {"result": [1]}}, "is not a matrix"),
    ],
)
def test_a_lie_is_one_sentence(scripted: Scripted, answer: Any, sentence: str) -> None:
    """A server that fails costs the item, with a reason that names it; never a traceback."""
    scripted.answer = lambda _: answer
    with pytest.raises(SensorError, match=sentence):
        read(scripted.url)


def test_two_series_of_one_host_are_no_answer(scripted: Scripted) -> None:
    """Taking either would be a guess; the query can say which."""
    one = ({"instance": "n01", "psu": "1"}, [[0, "1"]])
    scripted.answer = lambda _: matrix(one, one)
    with pytest.raises(SensorError, match=r"several series for n01; .*sum by \(instance\)"):
        read(scripted.url)


def test_a_server_that_is_down_is_not_waited_for_twice(nobody: str) -> None:
    """Thousands of jobs ask, and each of them would wait again."""
    down = source(nobody)
    with pytest.raises(SensorError, match=f"{nobody}: cannot be reached"):
        down.check()
    with pytest.raises(SensorError, match=f"{nobody}: cannot be reached"):
        down.check()


def test_a_password_in_the_url_is_not_repeated(nobody: str) -> None:
    """Errors are written into records, which others read."""
    with pytest.raises(SensorError, match="cannot be reached") as caught:
        source(nobody.replace("//", "//me:s3cret@")).check()
    assert "s3cret" not in str(caught.value)


def test_a_server_that_drips_is_too_slow(scripted: Scripted) -> None:
    """Each byte comes in time, the answer does not."""
    scripted.answer = lambda _: Answer(b" " * 100, pause_s=0.05)
    with pytest.raises(SensorError, match=r"no answer within 0.3 s"):
        read(scripted.url, timeout_s=0.3)


def test_a_server_without_samples_is_no_error(scripted: Scripted) -> None:
    """A host that was not measured then has no timeline; asking for it alone says so."""
    scripted.answer = lambda _: matrix()
    prom = source(scripted.url)
    assert prom.read("power_watt", SensorRequest({"n01": ()}, 0, 120)) == {}
    with pytest.raises(SensorError, match=r'no samples of "power_watt" of n01'):
        prom.series("power_watt", "n01", None, 0, 120)


def test_devices_have_timelines_of_their_own(scripted: Scripted) -> None:
    """Only those GPUs of a node are read that were asked for."""
    item = {
        "name": "accelerator.power_watt",
        "unit": "mW",
        "query": 'gpu{host=~"{host}", gpu=~"{device}"}',
        "host_label": "host",
    }
    scripted.answer = lambda _: matrix(
        ({"host": "n01", "gpu": "0"}, [[0, "1000"], [60, "2000"]]),
        ({"host": "n01", "gpu": "1"}, [[0, "9000"]]),
    )
    found = source(scripted.url, item).read(
        "accelerator.power_watt", SensorRequest({"n01": ("0",)}, 0, 60)
    )
    assert {place: list(each.mean) for place, each in found.items()} == {
        MeasuringPoint("n01", "0"): [1]
    }


def test_a_job_is_asked_for_by_its_id(scripted: Scripted) -> None:
    """Sensors of control groups measure a job, not a node."""
    item = {"name": "used_mem_bytes", "unit": "KiB", "query": 'm{j="{jobid}"}', "scope": "job"}
    scripted.answer = lambda _: matrix(({"instance": "n01"}, [[0, "1"]]))
    prom = source(scripted.url, item)
    series = prom.series("used_mem_bytes", "n01", None, 0, 60, jobid="7_1")
    assert list(series.mean) == [1024]
    assert '"(7_1)"' in scripted.asked[0]["query"]
    with pytest.raises(SensorError, match=r"measured by job"):
        prom.series("used_mem_bytes", "n01", None, 0, 60)


def test_a_token_is_sent(scripted: Scripted, tmp_path: Path) -> None:
    """The token comes from a file of its own, so that it is in no site file."""
    (tmp_path / "token").write_text("s3cret\n")
    scripted.answer = lambda _: matrix()
    section = {"kind": "prometheus", "name": "p", "url": scripted.url, "item": [POWER]}
    make_sensor_source(section | {"token_file": "token"}, tmp_path).check()
    assert scripted.asked[0]["authorization"] == "Bearer s3cret"
    with pytest.raises(SensorError, match=r"none: no such file"):
        make_sensor_source(section | {"token_file": "none"}, tmp_path).check()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"unit": "kB"}, 'a gauge in kB cannot be turned into "power_watt"'),
        ({"unit": "Watts"}, 'unknown unit "Watts"'),
        ({"kind": "counter"}, "a counter in W cannot"),
        ({"kind": "counted"}, 'did you mean "counter"'),
        ({"name": "power"}, "does not end in its unit"),
        ({"name": "rack.power_watt"}, "is of no part of a host; known: accelerator, storage"),
        ({"scope": "device"}, "is of no device; say accelerator.power_watt"),
        ({"scope": "site"}, "the whole site's power is not"),
        ({"step_s": 0.0}, "must be at least 0.001"),
        ({"quer": "x"}, 'did you mean "query"'),
        ({"stale_s": -1.0}, "must be above 0"),
    ],
)
def test_mistakes_in_an_item_are_named(change: dict[str, Any], sentence: str) -> None:
    """A wrong unit is found when the file is read, not when the numbers look odd."""
    with pytest.raises(SchedlabError, match=sentence):
        source("http://x", {**POWER, **change})


def test_presets_are_complete_items() -> None:
    """Each preset works as it is, and an item of the site file goes before that of a preset."""
    presets = ["node-exporter", "ipmi", "dcgm"]
    prom = source("http://x", {**POWER, "query": "mine"}, presets=presets)
    assert prom.items["power_watt"].query == "mine"
    assert {"used_cpu_percent", "accelerator.utilization_percent", "fan_rpm"} <= set(prom.items)
    only = make_sensor_source(
        {"kind": "prometheus", "name": "p", "url": "u", "presets": ["cgroup"]}, Path()
    )
    assert {item.scope for item in only.items.values()} == {"job"}
    with pytest.raises(SchedlabError, match=r'did you mean "dcgm"'):
        source("http://x", presets=["dcmg"])


def test_a_source_must_say_what_it_is() -> None:
    """A source needs at least a kind, a name and items."""
    with pytest.raises(InputError, match=r"lacks the key kind; known: archive, csv"):
        make_sensor_source({"name": "x"}, Path())
    with pytest.raises(InputError, match=r"has no .*item.* and no preset"):
        make_sensor_source({"kind": "prometheus", "name": "p", "url": "u"}, Path())
    with pytest.raises(SchedlabError, match=r'did you mean "prometheus"'):
        make_sensor_source({"kind": "promethius"}, Path())
