"""A real frontend of Zabbix: the same timelines through its API as from its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.services.zabbix import PASSWORD, USER, Zabbix

from schedlab.errors import NoSamplesError, SensorError
from schedlab.history.sensors import MeasuringPoint, SensorRequest, integral, make_sensor_source
from schedlab.history.sensors.source import AnySensorSource

HOUR_S = 1_704_067_200
FLOAT, UNSIGNED, TEXT = 0, 3, 4
ITEMS = [
    {"name": "power_watt", "unit": "W", "key": "node.power"},
    {"name": "used_mem_bytes", "unit": "B", "key": "mem.used"},
    {"name": "accelerator.utilization_percent", "unit": "%", "key": "gpu.util[{device}]"},
    {"name": "communication_bytes", "unit": "B", "kind": "counter", "key": "net.bytes"},
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def filled(zabbix_frontend: Zabbix) -> Zabbix:
    """Two hosts with six hours of values, and an earlier hour of which only trends are left."""
    random = np.random.default_rng(3)
    for host in ("n01", "n02"):
        keys = {"node.power": FLOAT, "mem.used": UNSIGNED, "gpu.util[0]": FLOAT}
        keys |= {"gpu.util[1]": FLOAT, "net.bytes": UNSIGNED, "node.name": TEXT}
        power, mem, gpu0, gpu1, net, _ = zabbix_frontend.add_host(host, keys)
        clock = HOUR_S + np.cumsum(random.integers(20, 90, 400))
        ns = random.integers(0, 1_000_000_000, 400)
        values = {itemid: random.uniform(0, 100, 400) for itemid in (power, gpu0, gpu1)}
        counts = {mem: random.integers(0, 1 << 38, 400), net: np.arange(400) * 1_000_003}
        for table, columns in (("history", values), ("history_uint", counts)):
            zabbix_frontend.write(
                table,
                [
                    {"itemid": itemid, "clock": int(at), "ns": int(part), "value": each}
                    for itemid, column in columns.items()
                    for at, part, each in zip(clock, ns, column.tolist(), strict=True)
                ],
            )
        hour = {"clock": HOUR_S - 3600, "num": 60, "value_min": 90, "value_max": 300}
        zabbix_frontend.write("trends", [{"itemid": power, "value_avg": 100.5, **hour}])
    return zabbix_frontend


@pytest.fixture
def secrets(filled: Zabbix, tmp_path: Path) -> Path:
    """A folder with the password and with a token, each in a file."""
    (tmp_path / "password").write_text(PASSWORD)
    session = filled.log_in()
    made = filled.call("token.create", {"name": tmp_path.name, "userid": "1"}, session)
    (generated,) = filled.call("token.generate", made["tokenids"], session)
    (tmp_path / "token").write_text(generated["token"])
    return tmp_path


def by_api(zabbix: Zabbix, folder: Path, **settings: Any) -> AnySensorSource:
    """Return the source that asks the frontend, with the password by default."""
    given = {"kind": "zabbix-api", "name": "zabbix", "url": zabbix.url, "item": ITEMS}
    return make_sensor_source(
        given | (settings or {"user": USER, "password_file": "password"}), folder
    )


@pytest.mark.parametrize("item", [each["name"] for each in ITEMS])
def test_the_api_tells_what_the_tables_hold(filled: Zabbix, secrets: Path, item: str) -> None:
    """Floats, whole numbers, devices and counters agree to the last digit, on both hosts."""
    tables = {"kind": "zabbix-sql", "name": "zabbix", "url": filled.database_url, "item": ITEMS}
    request = SensorRequest({"n01": ("0", "1"), "n02": ("0", "1")}, HOUR_S + 60, HOUR_S + 5 * 3600)
    expected = make_sensor_source(tables, secrets).read(item, request)
    found = by_api(filled, secrets).read(item, request)
    assert found.keys() == expected.keys()
    assert len(found) == (4 if item.startswith("accelerator") else 2)
    for place, series in found.items():
        assert len(series) > 200
        for column in ("start_s", "end_s", "mean"):
            assert np.array_equal(getattr(series, column), getattr(expected[place], column))


def test_trends_stand_in_for_values_that_are_gone(filled: Zabbix, secrets: Path) -> None:
    """Trends keep the mean and the extremes of an hour."""
    series = by_api(filled, secrets).series("power_watt", "n01", None, HOUR_S - 3600, HOUR_S)
    assert integral(series, HOUR_S - 3600, HOUR_S) == pytest.approx(100.5 * 3600)
    assert (series.least.min(), series.greatest.max()) == (90, 300)


def test_a_token_does_as_well_as_a_password(filled: Zabbix, secrets: Path) -> None:
    """Zabbix gives out tokens for programs."""
    source = by_api(filled, secrets, token_file="token")
    assert source.check().startswith("Zabbix 6.0 answers at http://127.0.0.1")
    request = SensorRequest({"n01": ()}, HOUR_S + 60, HOUR_S + 600)
    assert source.read("power_watt", request).keys() == {MeasuringPoint("n01")}


def test_what_the_frontend_refuses_is_one_sentence(filled: Zabbix, secrets: Path) -> None:
    """A wrong password and an unknown token are reported in the words of the frontend."""
    (secrets / "password").write_text("guessed")
    with pytest.raises(SensorError, match=r"refused user.login: Incorrect user name or password"):
        by_api(filled, secrets).check()
    (secrets / "token").write_text("0" * 64)
    with pytest.raises(SensorError, match=r"refused host.get: Not authori[sz]ed"):
        by_api(filled, secrets, token_file="token").check()


def test_a_host_that_zabbix_does_not_know_has_no_samples(filled: Zabbix, secrets: Path) -> None:
    """Missing samples are no failure that is to be tried again."""
    with pytest.raises(
        NoSamplesError, match=r'none of these hosts has an item of key "node.power"'
    ):
        by_api(filled, secrets).series("power_watt", "x99", None, HOUR_S, HOUR_S + 60)
