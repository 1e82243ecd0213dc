"""Stores to put records into."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schedlab.history.store import Store


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store without a job."""
    with Store.make(store_url) as made:
        yield made
