"""The tables of the history service."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables of accounts, and of what users and programs log in with."""
    _accounts()
    _credentials()


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("password", sa.Text),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("created_s", sa.Double, nullable=False),
    )
    op.create_table(
        "account_groups",
        sa.Column("account", sa.Text, _of_account(), primary_key=True),
        sa.Column("accounting_group", sa.Text, primary_key=True),
    )


def _credentials() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("account", sa.Text, _of_account()),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created_s", sa.Double, nullable=False),
        sa.Column("expires_s", sa.Double),
        sa.Column("used_s", sa.Double),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, _of_account(), nullable=False, index=True),
        sa.Column("expires_s", sa.Double, nullable=False),
    )
    op.create_table(
        "login_failures",
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at_s", sa.Double, nullable=False),
    )
    op.create_index("login_failure_who", "login_failures", ["who", "at_s"])


def _of_account() -> sa.ForeignKey:
    return sa.ForeignKey("accounts.name", ondelete="CASCADE")
