"""The tables of the history service's accounts, and of what users and programs log in with.

Sessions and tokens are kept as digests: a reader of the store cannot use them.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Table, Text

from schedlab.history.store.tables import metadata

accounts = Table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    # What vouches for it: this service, or the provider that logs its owner in.
    Column("origin", Text, nullable=False),
    # The hash by argon2; empty for an account without a password.
    Column("password", Text),
    Column("enabled", Boolean, nullable=False),
    Column("created_s", Double, nullable=False),
)

account_groups = Table(
    "account_groups",
    metadata,
    Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), primary_key=True),
    Column("accounting_group", Text, primary_key=True),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    # Empty for the tokens of programs, which have the role "api".
    Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE")),
    Column("scopes", Text, nullable=False),
    Column("created_s", Double, nullable=False),
    Column("expires_s", Double),
    Column("used_s", Double),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    Column(
        "account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("expires_s", Double, nullable=False),
)

login_failures = Table(
    "login_failures",
    metadata,
    # An account, an address, or both.
    Column("who", Text, nullable=False),
    Column("at_s", Double, nullable=False),
)
Index("login_failure_who", login_failures.c.who, login_failures.c.at_s)
