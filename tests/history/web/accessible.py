"""Whether a page can be used by those who do not see it well, or have no mouse."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

_FAULTS = Path(__file__).with_suffix(".js").read_text()
_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def faults(page: Page) -> list[str]:
    """What axe finds, and headings out of order, text too faint to read, pages too wide."""
    found: list[str] = page.evaluate(_FAULTS)
    page.evaluate(f"{_AXE}; undefined")
    for each in page.evaluate("axe.run(document)")["violations"]:
        nodes = [node["html"][:120] for node in each["nodes"]]
        found.append(f"axe: {each['help']}: {nodes}")
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
