"""A hook of MkDocs: every notebook becomes a page of the gallery, with its pictures beside it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

FOLDER = Path(__file__).parent
_DOCS = "../../docs/"
_HOME = "The notebook itself is `examples/notebooks/{}` in the repository."


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures to those of docs/."""
    from mkdocs.structure.files import File

    for path in sorted(FOLDER.glob("*.ipynb")):
        for name, content in pages_of(path).items():
            files.append(File.generated(config, f"gallery/{name}", content=content))
    return files


def pages_of(path: Path) -> dict[str, str | bytes]:
    """Return the page of a notebook, as Markdown, and its pictures by their names."""
    made: dict[str, str | bytes] = {}
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text.replace(_DOCS, "../"))
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            picture = output.get("data", {}).get("image/png")
            if picture is None:
                parts.append(_shown(output))
            else:
                name = f"{path.stem}-{len(made) + 1}.png"
                made[name] = base64.b64decode(picture)
                parts.append(f"![What the cell above draws]({name})")
    parts.append(_HOME.format(path.name))
    return {f"{path.stem}.md": "\n\n".join(parts) + "\n", **made}


def _shown(output: dict[str, Any]) -> str:
    """Return what a cell printed, or the table that it shows."""
    data = output.get("data", {})
    if "text/html" in data:
        return "".join(data["text/html"])
    return "```text\n" + "".join(output.get("text") or data["text/plain"]).rstrip() + "\n```"
