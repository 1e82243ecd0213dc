"""Whether a page can be used by those who do not see it well, or have no mouse."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_FAULTS = Path(__file__).with_suffix(".js").read_text()


def faults(page: Page) -> list[str]:
    """Missing labels, names and texts, headings out of order, and text too faint to read."""
    found: list[str] = page.evaluate(_FAULTS)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > shown:
        found.append(f"the page is {width} pixels wide where {shown} are shown")
    return found


def reached_by_keyboard(page: Page, most: int = 60) -> list[str]:
    """What the tabulator key leads to, one after the other, each with an outline to be seen."""
    reached: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => {
              const here = document.activeElement;
              const name = here.getAttribute("aria-label") || here.id || here.textContent.trim();
              return [name, getComputedStyle(here).outlineStyle];
            }"""
        )
        if not name or name in reached[:1]:
            break
        assert outline != "none", f"{name} has the focus, and nobody sees it"
        reached.append(name)
    return reached
