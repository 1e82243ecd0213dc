"""Checks that people with poor sight, or without a mouse, can use a page."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

_FAULTS = Path(__file__).with_suffix(".js").read_text()
_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def faults(page: Page, *, of_colours: bool = False) -> list[str]:
    """Return what axe finds, headings out of order, text too faint to read and pages too wide.

    Args:
        page: the page to check.
        of_colours: whether axe checks only the colours, as the page has passed in another scheme.
    """
    found: list[str] = page.evaluate(_FAULTS)
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{_AXE}; undefined")
    # The list of what axe found good is long; handing it over takes longer than finding it.
    how = {"resultTypes": ["violations"], **({"runOnly": ["color-contrast"]} if of_colours else {})}
    run = "how => axe.run(document, how).then(({ violations }) => violations)"
    for each in page.evaluate(run, how):
        nodes = [node["html"][:120] for node in each["nodes"]]
        found.append(f"axe: {each['help']}: {nodes}")
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > shown:
        found.append(f"the page is {width} pixels wide where {shown} are shown")
    return found


def reached_by_keyboard(page: Page, most: int = 60) -> list[str]:
    """Return what the Tab key reaches, in order; each must have a visible outline."""
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
