"""Unix users for schedulers, which run each job as its own user."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

ANN, BOB, OPERATOR = (f"{name}{os.getpid()}" for name in ("ann", "bob", "ops"))
"""Names of this process alone: several test processes may run at a time."""


@contextmanager
def unix_users(*names: str) -> Iterator[None]:
    """Make users with those names, and remove them again unless they were there before."""
    if os.geteuid() != 0:
        pytest.skip("only root can run a scheduler with several users")
    known = {user.pw_name for user in pwd.getpwall()}
    made = [name for name in names if name not in known]
    for name in made:
        subprocess.run(["useradd", "-M", name], check=True, capture_output=True)
    try:
        yield
    finally:
        for name in made:
            subprocess.run(["userdel", name], check=False, capture_output=True)
