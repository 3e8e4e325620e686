"""Help as plain text under headings: what draws frames takes longer to load than all else of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

HELP_NAMES = ("-h", "--help")


def help_asked_for(app: typer.Typer, arguments: Sequence[str], program: str) -> str | None:
    """Return the help of a command if nothing but its name and ``--help`` is given.

    Nor need ``--help`` be given where the name of a command is missing.
    Typer would find it too, but only after it loaded what checks the values of options.
    """
    command: Any = get_command(app)
    context = typer.Context(command, info_name=program, **command.context_settings)
    for word in arguments:
        if word in HELP_NAMES:
            return str(command.get_help(context))
        if not isinstance(command, TyperGroup) or word not in command.commands:
            return None
        command = command.commands[word]
        context = typer.Context(command, info_name=word, parent=context, **command.context_settings)
    return str(command.get_help(context)) if isinstance(command, TyperGroup) else None


def write_options(command: Any, context: Any, formatter: Any) -> None:
    """Write the arguments and options of a command, each under the heading of its panel."""
    sections: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None:
            kind = "Arguments" if param.param_type_name == "argument" else "Options"
            sections[getattr(param, "rich_help_panel", None) or kind].append(record)
    _write(sections, formatter)


class Group(TyperGroup):
    """Commands that are listed under the headings of their panels."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options, then commands."""
        write_options(self, ctx, formatter)
        sections: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            sections[panel].append((name, command.get_short_help_str(formatter.width)))
        _write(sections, formatter)


def _write(sections: dict[str, list[tuple[str, str]]], formatter: Any) -> None:
    for heading, records in sections.items():
        with formatter.section(heading):
            formatter.write_dl(records)
