"""Zabbix through the JSON-RPC interface of its frontend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from schedlab.errors import ParameterError, SensorError
from schedlab.history.sensors.http import JsonService, check_timeout, secret
from schedlab.history.sensors.source import SourceSection
from schedlab.history.sensors.zabbix import Sensor, Trend, ZabbixSource, ZabbixValue

Row = TypeVar("Row")

# The frontend holds an answer in memory, of which PHP has little.
ITEMS_AT_ONCE = 50
CHUNK_S = 4 * 3600


@dataclass(frozen=True, kw_only=True)
class ZabbixApiSection(SourceSection):
    """``[[sensor_source]] kind = "zabbix-api"``; with a token, or with a user and a password.

    Args:
        url: URL of the frontend's ``api_jsonrpc.php``.
        token_file: file with an API token.
        user: user to log in as.
        password_file: file with the user's password.
        timeout_s: how long an answer may take.
    """

    url: str
    token_file: str | None = None
    user: str | None = None
    password_file: str | None = None
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)
        if (self.token_file is None) == (self.user is None or self.password_file is None):
            raise ParameterError("give token_file, or user and password_file")


class _RefusedError(SensorError):
    """The frontend answered, but not with what was asked for."""


class ZabbixApiSource(ZabbixSource[ZabbixApiSection]):
    """Asks a Zabbix frontend, of version 5.0 or later."""

    source_section = ZabbixApiSection

    def sensors(self, hosts: Collection[str], keys: Collection[str]) -> list[Sensor]:
        """Ask by ``item.get``."""
        return self._get(
            "item.get",
            _sensor,
            output=["itemid", "key_", "value_type"],
            selectHosts=["host"],
            filter={"host": sorted(hosts), "key_": sorted(keys)},
        )

    def values(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterator[ZabbixValue]:
        """Ask by ``history.get``."""
        for span in _spans(itemids, start_s, end_s):
            yield from self._get("history.get", _value, history=value_type, **span)

    def trends(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterator[Trend]:
        """Ask by ``trend.get``."""
        for span in _spans(itemids, start_s, end_s):
            yield from self._get("trend.get", _trend, **span)

    def check(self) -> str:
        """Ask for the version, and log in."""
        version = ".".join(map(str, self._version))
        self._call_as_user("host.get", {"countOutput": True})
        return f"Zabbix {version} answers at {self._service.shown}"

    def _get(self, method: str, read: Callable[[Any], Row], **params: Any) -> list[Row]:
        rows = self._call_as_user(method, {"output": "extend"} | params)
        try:
            return [read(each) for each in rows]
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise self._service.fault(f"an unexpected answer to {method}: {error!r}") from None

    def _call_as_user(self, method: str, params: Any) -> Any:
        """Call in the current session; if that has ended, in a new one."""
        is_new = "_token" not in self.__dict__
        try:
            return self._call(method, params, self._token)
        except _RefusedError:
            if is_new:
                raise
            self.__dict__.pop("_token", None)
            return self._call(method, params, self._token)

    def _call(self, method: str, params: Any, token: str | None = None) -> Any:
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        headers = {}
        if token is not None and self._version >= (6, 4):
            headers["Authorization"] = f"Bearer {token}"
        elif token is not None:
            request["auth"] = token
        answer = self._service.ask("", json=request, headers=headers)
        if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
            raise self._service.fault("its answer is not JSON-RPC")
        if "error" in answer:
            error = answer["error"]
            reason = error.get("data") or error.get("message") if isinstance(error, dict) else error
            raise _RefusedError(str(self._service.fault(f"refused {method}: {reason}")))
        return answer["result"]

    @cached_property
    def _version(self) -> tuple[int, ...]:
        text = str(self._call("apiinfo.version", []))
        try:
            return tuple(int(part) for part in text.split(".")[:2])
        except ValueError:
            raise self._service.fault(f"has the unknown version {text!r}") from None

    @cached_property
    def _token(self) -> str:
        section = self.section
        if section.token_file is not None:
            return secret(self.folder / section.token_file)
        assert section.password_file is not None
        who = "username" if self._version >= (5, 4) else "user"
        password = secret(self.folder / section.password_file)
        return str(self._call("user.login", {who: section.user, "password": password}))

    @cached_property
    def _service(self) -> JsonService:
        return JsonService(self.section.url, self.section.timeout_s)


def _sensor(row: Any) -> Sensor:
    return Sensor(int(row["itemid"]), row["hosts"][0]["host"], row["key_"], int(row["value_type"]))


def _value(row: Any) -> ZabbixValue:
    return ZabbixValue(int(row["itemid"]), int(row["clock"]), int(row["ns"]), float(row["value"]))


def _trend(row: Any) -> Trend:
    numbers = (float(row[name]) for name in ("value_min", "value_avg", "value_max"))
    return Trend(int(row["itemid"]), int(row["clock"]), *numbers)


def _spans(itemids: Collection[int], start_s: int, end_s: int) -> Iterator[dict[str, Any]]:
    ids = sorted(itemids)
    for first in range(0, len(ids), ITEMS_AT_ONCE):
        for begin_s in range(start_s, end_s + 1, CHUNK_S):
            yield {
                "itemids": [str(each) for each in ids[first : first + ITEMS_AT_ONCE]],
                "time_from": begin_s,
                "time_till": min(begin_s + CHUNK_S - 1, end_s),
            }
