"""How much memory this process can still get."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

LIMIT_VARIABLE = "GRAPHPAC_MEMORY_LIMIT"

_PROC = Path("/proc")
_GROUPS = Path("/sys/fs/cgroup")
# Files of a control group, in the second and in the first version, and the pages of files in it.
_SECOND = ("memory.max", "memory.current", ("active_file", "inactive_file"))
_FIRST = (
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    ("total_active_file", "total_inactive_file"),
)


def available_memory() -> int | None:
    """Bytes this process can take without swapping; None where nobody tells.

    The least of what the system has available, what the control groups of the process (containers,
    batch jobs) leave, and what its resource limits allow. The environment variable
    ``GRAPHPAC_MEMORY_LIMIT`` overrides all of them: a number of bytes, or "off" for no limit.
    """
    asked_for = os.environ.get(LIMIT_VARIABLE)
    if asked_for is not None:
        return _parsed(asked_for)
    known = [*_left_by_system(), *_left_by_groups(), *_left_by_limits()]
    return max(0, min(known)) if known else None


def _parsed(asked_for: str) -> int | None:
    if asked_for.strip().lower() == "off":
        return None
    with suppress(ValueError, OverflowError):
        if (limit := int(float(asked_for))) >= 0:
            return limit
    msg = f"{LIMIT_VARIABLE}={asked_for!r} must be a number of bytes, such as 8e9, or off."
    raise ValueError(msg)


def _left_by_system() -> Iterator[int]:
    meminfo = _fields(_PROC / "meminfo")
    if "MemAvailable" in meminfo:
        yield 1024 * meminfo["MemAvailable"]
        return
    with suppress(AttributeError, OSError, ValueError):  # of Linux only the above is known
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_by_groups() -> Iterator[int]:
    for line in _read(_PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        home, files = (_GROUPS / "memory", _FIRST) if controllers else (_GROUPS, _SECOND)
        # Every group lies inside all those above it. A path from outside a container's own tree
        # leads nowhere in it, and then the group at its root is the one.
        parts = PurePosixPath(path).parts[1:]
        for depth in range(len(parts) + 1):
            yield from _left_by_group(home.joinpath(*parts[:depth]), *files)


def _left_by_group(group: Path, limit: str, usage: str, pages: tuple[str, ...]) -> Iterator[int]:
    most, used = _read(group / limit).strip(), _read(group / usage).strip()
    if most.isdigit() and used.isdigit():
        # Pages of files count as used, but are given back when somebody needs them.
        stat = _fields(group / "memory.stat")
        yield int(most) - int(used) + sum(stat.get(name, 0) for name in pages)


def _left_by_limits() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # Windows
        return
    status = _fields(_PROC / "self" / "status")
    for limit, used in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY and used in status:
            yield most - 1024 * status[used]


def _fields(path: Path) -> dict[str, int]:
    """Read lines of a name and a number; others are left out."""
    found = {}
    for line in _read(path).splitlines():
        name, *rest = line.replace(":", " ").split() or [""]
        if rest and rest[0].isdigit():
            found[name] = int(rest[0])
    return found


def _read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""
