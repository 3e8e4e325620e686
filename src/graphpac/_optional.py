"""Import of optional dependencies."""

from importlib import import_module
from typing import Any


def require(module: str, *, extra: str, needed_for: str) -> Any:
    """Import an optional dependency, or say what needs it and which extra installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"{needed_for} needs {module}; install it with: pip install 'graphpac[{extra}]'"
        raise ImportError(msg) from error
