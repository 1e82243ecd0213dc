"""The page on steering describes every setting of the loop."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from schedlab.operate.settings import OperateSettings

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "live.md"


def test_every_key_is_on_the_page() -> None:
    """Operators do not find a key that is not described."""
    _, table = PAGE.read_text(encoding="utf-8").split("| key of `[operate]` |")
    rows = table.partition("\n\n")[0].splitlines()
    keys = [key for row in rows[2:] for key in row.split("|")[1].replace("`", "").split(",")]
    assert {key.strip() for key in keys} == {each.name for each in fields(OperateSettings)}
