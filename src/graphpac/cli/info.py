"""``graphpac info``: versions, threads, memory, caches and extras of this machine."""

from __future__ import annotations

from graphpac.cli._options import Json
from graphpac.cli._output import print_json, print_table, say

HELP = """Show versions, threads, memory, folders and extras.

What to add to a report of a problem.

Example: graphpac info
"""


def info(*, json: Json = False) -> None:
    """Show what is installed; the help of the command is `HELP`."""
    from graphpac.runs.environment import describe_environment

    found = describe_environment()
    if json:
        print_json(found)
        return
    print_table(("package", "version"), found["versions"].items(), words=(0, 1))
    say("")
    rows = [(name, str(value)) for name, value in found["machine"].items()]
    print_table(("machine", ""), rows, words=(0, 1))
    say("")
    rows = [
        (extra, ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items()))
        for extra, packages in found["extras"].items()
    ]
    print_table(("extra", "packages"), rows, words=(0, 1))
    if any("missing" in packages for _, packages in rows):
        say("\nInstall an extra with: pip install 'graphpac[EXTRA]'")
