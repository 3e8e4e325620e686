"""Tests beside the tools they are about; ``make integrations`` runs them where those are."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Let other packages warn as they like; a warning of our own is an error here as well."""
    for item in items:
        if HERE in item.path.parents:
            # The one added last is looked at first.
            item.add_marker(pytest.mark.filterwarnings("ignore"), append=False)
            item.add_marker(pytest.mark.filterwarnings("error:::graphpac"))
