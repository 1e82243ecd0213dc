"""Changed parameters as a diff of slurm.conf and the files that it includes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

from schedlab.slurm.dump.conf import Entry, read_conf
from schedlab.slurm.scheduling import WITHIN

MAIN = "slurm.conf"


def conf_diff(conf: Mapping[str, str], changes: Mapping[str, str]) -> str:
    """Return a diff that ``patch -p1`` applies in the folder of slurm.conf.

    Args:
        conf: the texts of the files by name; slurm.conf may be missing.
        changes: new values by the names that ``--set`` takes.
    """
    before = {name: text.splitlines() for name, text in conf.items()}
    after = {name: [*lines] for name, lines in before.items()}
    after.setdefault(MAIN, [])
    places = _places(conf)
    for key, value in _lines_to_set(places, changes).items():
        entry = places.get(key.lower())
        if entry is None or not _replaced(after, entry, key, value):
            after[MAIN].append(f"{key}={value}")
    return "".join(
        f"{line}\n"
        for name in after
        for line in unified_diff(
            before.get(name, []), after[name], f"a/{name}", f"b/{name}", lineterm="", n=1
        )
    )


def _lines_to_set(places: Mapping[str, Entry], changes: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters' whole values; changed options are merged into SchedulerParameters."""
    wanted = {name: value for name, value in changes.items() if "." not in name}
    options = {
        name.partition(".")[2]: value
        for name, value in changes.items()
        if name.startswith(f"{WITHIN}.")
    }
    if options:
        entry = places.get(WITHIN.lower())
        kept = [] if entry is None else [word for word in entry.value.split(",") if word]
        written = {name.lower(): f"{name}={value}" for name, value in options.items()}
        words = [written.pop(word.partition("=")[0].strip().lower(), word) for word in kept]
        wanted[WITHIN] = ",".join([*words, *written.values()])
    return wanted


def _places(conf: Mapping[str, str]) -> dict[str, Entry]:
    """Return where each parameter stands, by its name in lower case."""
    if MAIN not in conf:
        return {}
    with TemporaryDirectory() as folder:
        for name, text in conf.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = read_conf(Path(folder) / MAIN).parameters
        root = Path(folder).resolve()
        return {
            key: Entry(
                entry.key, entry.value, str(entry.line.path.resolve().relative_to(root)), entry.line
            )
            for key, entry in found.items()
            if entry.line is not None
        }


def _replaced(files: dict[str, list[str]], entry: Entry, key: str, value: str) -> bool:
    """Replace the value in its file, and return whether it was found.

    A line that ends with a backslash continues on the next one.
    """
    lines = files.get(entry.where)
    if lines is None or entry.line is None:
        return False
    pattern = re.compile(rf'((?:^|\s){re.escape(key)}\s*=\s*)("[^"]*"|[^\s\\]*)', re.IGNORECASE)
    for at in range(entry.line.number - 1, len(lines)):
        changed, count = pattern.subn(lambda match: match[1] + value, lines[at], count=1)
        if count:
            lines[at] = changed
            return True
        if not lines[at].rstrip().endswith("\\"):
            return False
    return False
