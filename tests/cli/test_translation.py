"""Messages of the command name its options where those of the library name parameters."""

import logging
import warnings

import pytest

from graphpac.cli._translation import in_options

OPTIONS = {
    "n_clusters": "--clusters",
    "id_column": "--id-column",
    "columns": "--columns",
    "metric": "--metric",
}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "n_clusters=9 must be at most 5: lower n_clusters.",
            "--clusters 9 must be at most 5: lower --clusters.",
        ),
        ('try metric="euclidean" (or n_clusters)', "try --metric euclidean (or --clusters)"),
        ("pass id_column or columns=NAMES", "pass --id-column or --columns NAMES"),
        (
            "it has 5 columns, 'n_clusters' and 'id_column'",
            "it has 5 columns, 'n_clusters' and 'id_column'",
        ),
        (
            "there is no file data/n_clusters/id_column.npy",
            "there is no file data/n_clusters/id_column.npy",
        ),
        ("lower batch_size=5", "lower batch_size=5"),
        ("only 3 of n_clusters=9 clusters have rows", "only 3 of 9 clusters have rows"),
    ],
)
def test_parameters_become_options_but_other_words_stay(message, shown):
    assert in_options(message, OPTIONS) == shown


def test_every_warning_of_every_command_has_the_same_prefix(graphpac, monkeypatch):
    def describe():
        warnings.warn("raised", UserWarning, stacklevel=1)
        logging.getLogger("graphpac").warning("logged")
        return {"versions": {}, "machine": {}, "extras": {}}

    monkeypatch.setattr("graphpac.runs.environment.describe_environment", describe)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        done = graphpac("info")
    assert done.code == 0
    assert done.err == "graphpac: warning: raised\ngraphpac: warning: logged\n"
