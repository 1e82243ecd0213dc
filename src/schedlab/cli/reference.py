"""The command line as a page of the documentation.

Generate it with ``python -m schedlab.cli.reference > docs/guides/command-line.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

_INTRODUCTION = """\
# The command line

This page is generated from the program with
`python -m schedlab.cli.reference > docs/guides/command-line.md`.

Every command has `--help`. A mistake in the input prints one line on stderr and exits with
code 2. Ctrl-C ends a command with exit code 130; SIGTERM and SIGHUP end it just as cleanly. With
`--json` stdout holds only JSON, and remarks go to stderr. On a terminal, a progress bar appears
after two seconds.

A command refuses to write over a file that it reads, or over a read-only file. It replaces any
other file that exists, and says so on stderr. It reads regular files only.

`TRACE` is a workload file of any [format](../formats/index.md), `-` for standard input, or the name
of a trace of the catalog that was fetched. Transforms and generators are described under
[workloads](workloads.md)."""


def reference(app: typer.Typer) -> str:
    """Return the whole page: a section per command, then one per group of shared options."""
    commands = dict(_commands(typer.main.get_command(app), "schedlab"))
    titles = _titles(commands)
    sections = [_section(path, command, titles) for path, command in commands.items()]
    shared = [f"## {title}\n\n{table}" for (_, table), title in titles.items()]
    return "\n\n".join((_INTRODUCTION, *sections, *shared)) + "\n"


def _titles(commands: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Return a title for each group of shared options; two groups never have the same one."""
    titles: dict[tuple[str, str], str] = {}
    for path, command in commands.items():
        for panel, options in _panels(command).items():
            if panel and (panel, _table(options)) not in titles:
                title = f"{panel}: {path}" if panel in titles.values() else panel
                titles[panel, _table(options)] = title
    return titles


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every command with the words that run it."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, each in command.commands.items():
        yield from _commands(each, f"{path} {name}")


def _section(path: str, command: Any, titles: dict[tuple[str, str], str]) -> str:
    panels = _panels(command)
    arguments = [each.metavar for each in command.params if each.param_type_name == "argument"]
    usage = " ".join((path, *arguments, *(["[OPTIONS]"] if panels else [])))
    own = [_table(panels[None]), ""] if panels else []
    links = [
        f"[{panel.lower()}](#{_anchor(titles[panel, _table(options)])})"
        for panel, options in panels.items()
        if panel
    ]
    more = [f"More options: {', '.join(links)}.", ""] if links else []
    if any("--json" in each.opts for each in command.params):
        more += [f"What `--json` prints: [JSON Schema](../{schema_of(path)}).", ""]
    heading, *examples = (line.strip() for line in command.epilog.split("\n\n"))
    lines = (
        *(f"## {path}", "", command.help, "", "```", usage, "```", "", *own),
        *(*more, heading, "", "```", *examples, "```"),
    )
    return "\n".join(lines)


def schema_of(path: str) -> str:
    """Return the path, in the folder of the documents, of the schema of a command's JSON."""
    words = path.removeprefix("schedlab ").replace(" ", "-")
    return f"formats/commands/{words}.schema.json"


def _panels(command: Any) -> dict[str | None, list[Any]]:
    """Return arguments and options by the title of their group; None for the command's own."""
    panels: dict[str | None, list[Any]] = {}
    for each in command.params:
        panels.setdefault(each.rich_help_panel, []).append(each)
    return panels


def _table(parameters: list[Any]) -> str:
    rows = [f"| {_name(each)} | {_meaning(each)} |" for each in parameters]
    return "\n".join(("| option | meaning |", "|---|---|", *rows))


def _anchor(heading: str) -> str:
    return heading.lower().replace(":", "").replace(" ", "-")


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    names = "/".join((*parameter.opts, *parameter.secondary_opts))
    written = f"{names} {parameter.metavar or ''}".strip().replace("|", "\\|")
    return f"`{written}`"


def _meaning(parameter: Any) -> str:
    remarks = [parameter.help]
    if parameter.required and parameter.param_type_name == "option":
        remarks.append("Required.")
    default = parameter.default if parameter.show_default is True else parameter.show_default
    if default is not None and default is not False and default != []:
        remarks.append(f"Default: {default}.")
    return " ".join(remarks)


if __name__ == "__main__":
    from schedlab.cli.app import app as schedlab

    typer.echo(reference(schedlab), nl=False)
