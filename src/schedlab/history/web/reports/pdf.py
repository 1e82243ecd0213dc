"""A report as PDF: an installed Chromium prints it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from threading import Lock

from schedlab.errors import OutputError, ParameterError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--no-pdf-header-footer",
)
_TIMEOUT_S = 60.0
_ONE_AT_A_TIME = Lock()


def browser() -> str | None:
    """Return the program that prints, if one is installed."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), None)


def to_pdf(html: str) -> bytes:
    """Return the page as it would be printed; one at a time, since a browser takes much memory."""
    program = browser()
    if program is None:
        raise ParameterError("a PDF needs Chromium, which is not installed here; take html")
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page, printed = folder / "report.html", folder / "report.pdf"
        page.write_text(html, encoding="utf-8")
        # A sandbox needs what root, as in a container, does not have; the page is our own.
        rights = ["--no-sandbox"] if os.geteuid() == 0 else []
        command = [program, *_FLAGS, *rights, f"--user-data-dir={folder / 'profile'}"]
        command += [f"--print-to-pdf={printed}", page.as_uri()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_TIMEOUT_S)
            return printed.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise OutputError(f"{program}: printed no PDF: {error}") from None
