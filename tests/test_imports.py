"""No imports form a circle, so what a file needs can be read without it.

Import-linter guards the layers, but checks only the packages that a contract names. These tests
check every file and every folder.
"""

import ast
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"

Graph = dict[str, set[str]]


def modules(root: Path) -> dict[str, Path]:
    """Return the Python files below the folder, by the names that they are imported by."""
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def names_imported(tree: ast.AST, *, types: bool) -> Iterator[tuple[str, ...]]:
    """Yield what each import may mean, most exact first; with ``types`` also those for checkers."""
    for node in ast.iter_child_nodes(tree):
        if not types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from ((each.name,) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{each.name}", str(node.module)) for each in node.names)
        else:
            yield from names_imported(node, types=types)


def imports(root: Path, *, types: bool = False) -> Graph:
    """Return the files that each file imports, at its top, in a function, or only for its types."""
    files = modules(root)
    return {
        module: {
            next(name for name in names if name in files)
            for names in names_imported(ast.parse(path.read_text(encoding="utf-8")), types=types)
            if any(name in files for name in names)
        }
        - {module}
        for module, path in files.items()
    }


def between_siblings(graph: Graph) -> dict[str, dict[str, set[str]]]:
    """Return, for each folder, which of its files and folders import which others."""
    folders: dict[str, dict[str, set[str]]] = {}
    for module, imported in graph.items():
        for other in imported:
            ours, theirs = module.split("."), other.split(".")
            depth = next(
                (d for d, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None
            )
            if depth is not None:
                siblings = folders.setdefault(".".join(ours[:depth]), {})
                siblings.setdefault(ours[depth], set()).add(theirs[depth])
    return folders


def circle(graph: Graph) -> list[str]:
    """Return one circle, in the order of its imports; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_file_imports_one_that_imports_it() -> None:
    """Otherwise neither can be read, tested or moved without the other."""
    graph = imports(SOURCES, types=True)
    assert len(graph) > 500
    del graph["schedlab"]  # has names from all below it; they import only the core from it
    assert circle(graph) == []


def test_no_packages_of_a_folder_import_each_other() -> None:
    """Code that both need stands beside them, as ``history/alerts_section.py`` does."""
    folders = between_siblings(imports(SOURCES))
    assert len(folders) > 50
    circles = {folder: circle(siblings) for folder, siblings in folders.items()}
    assert {folder: found for folder, found in circles.items() if found} == {}


def test_the_page_has_the_layers_that_are_checked() -> None:
    """Readers of the page see the table by which ``make lint`` judges an import."""
    contract, *_ = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    page = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    lines = page.partition("## Layers")[2].partition("```text\n")[2].partition("```")[0]
    shown = [line.partition("  ")[0] for line in lines.splitlines() if not line.startswith(" ")]
    assert shown == contract["layers"]


def test_the_package_imports_names_from_the_files_that_define_them() -> None:
    """``from schedlab import ...`` within the package is for the native module only."""
    found = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in sorted((SOURCES / "schedlab").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "schedlab" and not node.level
        if [each.name for each in node.names] != ["_core"]
    ]
    assert found == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    """It is found even if two packages import each other by files that do not."""
    for name, text in {
        "lab/one/up.py": "from lab.two import low\n",
        "lab/one/low.py": "",
        "lab/two/up.py": "def late():\n    import lab.one.low\n",
        "lab/two/low.py": "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from lab.one.up import Anything\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = imports(tmp_path)
    assert circle(graph) == []
    assert circle(between_siblings(graph)["lab"]) == ["one", "two", "one"]
    assert circle(imports(tmp_path, types=True)) == ["lab.one.up", "lab.two.low", "lab.one.up"]
    (tmp_path / "lab/one/low.py").write_text("from lab.one.up import x\n")
    (tmp_path / "lab/one/up.py").write_text("from lab.one.low import y\n")
    assert circle(imports(tmp_path)) == ["lab.one.low", "lab.one.up", "lab.one.low"]
