"""Tables for pandas and for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from schedlab.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

SHOWN = 5
"""Rows of a preview."""


def pandas_frame(frame: pl.DataFrame) -> pd.DataFrame:
    """Return the same table as a pandas frame."""
    try:
        return frame.to_pandas()
    except ModuleNotFoundError:
        raise MissingExtraError("pandas", "viz") from None


def preview(title: str, frame: pl.DataFrame) -> str:
    """Return HTML: the title, and the table under it."""
    return f"<p><b>{escape(title)}</b></p>{frame._repr_html_()}"
