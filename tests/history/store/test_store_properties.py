"""Whatever is put, in whatever portions, the store has the last record of each job."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.history.records import job

from schedlab.history.schema import JobRecord
from schedlab.history.store import JobQuery, Store

CLUSTERS = count()

sayings = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3_4"]),
        st.sampled_from([0, 60]),
        st.sampled_from([1, 2]),
        st.integers(0, 3),
    ),
    max_size=12,
)
portions = st.integers(1, 5)


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all examples, each of which has a cluster of its own."""
    path = tmp_path_factory.mktemp("store") / "history.db"
    Store.make(str(path)).close()
    return path


@settings(max_examples=25)
@given(said=sayings, portion=portions)
def test_the_last_word_counts(
    store_file: Path, said: list[tuple[str, int, int, int]], portion: int
) -> None:
    """An id may come again with another submission or attempt, which makes it another job."""
    cluster = f"c{next(CLUSTERS)}"
    records = [
        job(jobid, queued_s=queued_s, attempt=attempt, exit_status=status, cluster=cluster)
        for jobid, queued_s, attempt, status in said
    ]
    expected: dict[object, JobRecord] = {record.identity: record for record in records}
    with Store.open(str(store_file)) as store:
        for first in range(0, len(records), portion):
            store.put(records[first : first + portion], source="test")
        stored = {record.identity: record for record in store.jobs(JobQuery(clusters=(cluster,)))}
        again = store.put(records[-1:], source="test")
    assert stored == expected
    assert again.added == again.changed == 0
