"""A card for Open OnDemand's dashboard, which leads to the service."""

from __future__ import annotations

import json

MANIFEST = """\
---
name: Job history
category: Jobs
description: |-
  What your jobs used of what they asked for, how long they waited, and what would help.
icon: fa://chart-line
url: {url}
new_window: true
"""
PINNED = """\
# Pins the card to the dashboard; leave it out where ondemand.d has pinned_apps already, and add
# sys/schedlab there.
pinned_apps:
  - sys/schedlab
"""


def card(url: str) -> str:
    """Write ``manifest.yml`` of the card; a text of JSON is one of YAML, too."""
    return MANIFEST.format(url=json.dumps(url))
