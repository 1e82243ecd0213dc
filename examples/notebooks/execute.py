"""Execute the notebooks beside this file and write what they print into them.

python examples/notebooks/execute.py            # all
python examples/notebooks/execute.py 01 02      # those whose names begin so
python examples/notebooks/execute.py --check    # write nothing; fail if they print other things
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = Path(__file__).parent
_METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
_SHOWN = ("text/plain", "text/html", "image/png")
_LONGEST_S = 300


def notebooks() -> list[Path]:
    """Return all notebooks, in the order of the gallery."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path) -> nbformat.NotebookNode:
    """Return the notebook with fresh outputs, run in an empty folder by a process of its own."""
    book = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        # Kernels listen on files in these folders, and must leave nothing in the user's.
        own = {"JUPYTER_RUNTIME_DIR": f"{folder}/runtime", "IPYTHONDIR": f"{folder}/ipython"}
        work = Path(folder) / "work"
        work.mkdir()
        # Sockets in the folder, so that no other user of the machine can listen.
        sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}
        client = NotebookClient(
            book,
            config=Config({"ConnectionFileMixin": sockets}),
            timeout=_LONGEST_S,
            kernel_name="python3",
            resources={"metadata": {"path": str(work)}},
            coalesce_streams=True,
        )
        client.execute(env={**os.environ, **own, "PYTHONWARNINGS": "default"})
    return tidied(book)


def tidied(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook without what differs from run to run, such as counters."""
    book.metadata = nbformat.from_dict(_METADATA)
    for number, cell in enumerate(book.cells, 1):
        cell.id = f"cell-{number}"
        cell.metadata = {"tags": cell.metadata["tags"]} if "tags" in cell.metadata else {}
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        for output in cell.outputs:
            if output.output_type in ("execute_result", "display_data"):
                output.metadata = {}
                output.data = {kind: output.data[kind] for kind in _SHOWN if kind in output.data}
            if output.output_type == "execute_result":
                output.execution_count = None
    return book


def printed(book: Any) -> list[list[str]]:
    """Return what each cell prints, but for those whose output differs from machine to machine."""
    return [
        [output.get("text") or output["data"].get("text/plain", "") for output in cell["outputs"]]
        for cell in book["cells"]
        if cell["cell_type"] == "code" and "varies" not in cell["metadata"].get("tags", [])
    ]


def shown(book: Any) -> list[list[str]]:
    """Return what each cell shows: texts, tables and pictures."""
    return [
        [kind for output in cell["outputs"] for kind in sorted(output.get("data", ["text"]))]
        for cell in book["cells"]
        if cell["cell_type"] == "code"
    ]


def require_same(path: Path) -> None:
    """Execute the notebook; fail if it prints or shows something other than it holds."""
    committed, fresh = nbformat.read(path, as_version=4), executed(path)
    assert printed(fresh) == printed(committed), f"{path.name} prints other texts"
    assert shown(fresh) == shown(committed), f"{path.name} shows other things"


def main(chosen: list[str]) -> None:
    """Execute the notebooks whose names begin with one of the texts; all if there is none."""
    check = "--check" in chosen
    names = tuple(each for each in chosen if each != "--check")
    for path in notebooks():
        if not names or path.name.startswith(names):
            if check:
                require_same(path)
            else:
                nbformat.write(executed(path), path)
            print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
