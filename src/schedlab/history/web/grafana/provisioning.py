"""The settings of the data source, as Grafana reads them from ``provisioning/datasources``."""

from __future__ import annotations

import json

from schedlab.history.web.grafana.dashboards import PLUGIN

_SETTINGS = """\
# A token that reads: schedlab history token add grafana --scope read
# Grafana takes it from its environment: SCHEDLAB_TOKEN.
apiVersion: 1
datasources:
  - name: schedlab
    type: {plugin}
    access: proxy
    url: {url}
    jsonData:
      httpHeaderName1: Authorization
    secureJsonData:
      httpHeaderValue1: Bearer $SCHEDLAB_TOKEN
"""


def data_source(url: str) -> str:
    """Return the file; a JSON string is valid YAML as well."""
    return _SETTINGS.format(plugin=PLUGIN, url=json.dumps(f"{url}/grafana"))
