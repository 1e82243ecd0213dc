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
    """Return the card's ``manifest.yml``; a JSON string is valid YAML as well."""
    return MANIFEST.format(url=json.dumps(url))
