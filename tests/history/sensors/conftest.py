"""Fixtures for the tests of sensor sources: servers, real and scripted."""

from __future__ import annotations

from tests.services.prometheus import prometheus as prometheus
from tests.services.prometheus import victoria_metrics as victoria_metrics
from tests.services.scripted import nobody as nobody
from tests.services.scripted import scripted as scripted
from tests.services.zabbix import zabbix_frontend as zabbix_frontend
