"""Which jobs each viewer sees."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from tests.history.web.served import ACCOUNTS, SEEN, Served

from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Role, Scope, Viewer, visible, visible_of_few


def seen(served: Served, viewer: Viewer) -> set[str]:
    """Return the ids of the jobs that the viewer sees; both conditions must agree on them."""
    ids = select(jobs.c.jobid)
    with served.database.reading() as connection:
        among_all, among_few = (
            set(connection.execute(ids.where(condition(viewer))).scalars())
            for condition in (visible, visible_of_few)
        )
    assert among_all == among_few
    return among_all


@pytest.mark.parametrize("role", list(Role))
def test_each_role_sees_its_jobs(common: Served, role: Role) -> None:
    """Users see their own jobs, managers also those of their groups, and the other roles all."""
    viewer = ACCOUNTS[role].viewer if role in ACCOUNTS else Viewer(role)
    assert seen(common, viewer) == SEEN[role]


@pytest.mark.parametrize("name", [None, "", "ANN", "an_", "%", "ann "])
def test_a_name_must_be_the_same_to_the_letter(common: Served, name: str | None) -> None:
    """A job without a user belongs to no one, and no name is a pattern."""
    assert seen(common, Viewer(Role.USER, name)) == set()
    assert seen(common, Viewer(Role.MANAGER, name)) == set()


def test_a_token_that_may_not_read_sees_nothing(common: Served) -> None:
    """A scheduler's hook that only writes need not see any jobs."""
    hook = Viewer(Role.API, scopes=frozenset({Scope.INGEST}))
    assert seen(common, hook) == set()


def test_a_role_never_does_more_than_it_may() -> None:
    """Scopes narrow what a role may do; they do not widen it."""
    assert not Viewer(Role.USER, "ann", scopes=frozenset(Scope)).may(Scope.ADMIN)
    assert not Viewer(Role.ADMIN, "root", scopes=frozenset({Scope.READ})).may(Scope.ADMIN)
