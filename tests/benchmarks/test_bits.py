"""Fingerprints differ when results do."""

import numpy as np
import pytest

from benchmarks import bits
from graphpac import GPAC


def test_a_result_has_one_fingerprint_whatever_its_integers_take(digits):
    one, other = (
        GPAC.as_published(4, max_iter=3, random_state=s).fit(digits.X[:300]) for s in (0, 1)
    )
    assert bits.digest(one) != bits.digest(other)
    assert bits.digest(one) == bits.digest(one)
    labels = one.labels_
    assert bits.of_arrays((labels,)) == bits.of_arrays((labels.astype(np.int64),))


def test_a_fit_that_is_taken_up_again_is_the_same(digits):
    whole = GPAC.as_published(10, random_state=0).fit(digits.X[:300])
    assert bits.digest(bits.resumed(digits.X[:300])) == bits.digest(whole)


def test_what_changed_is_named(tmp_path, monkeypatch, capsys):
    found = {"a": "1", "b": "2"}
    monkeypatch.setattr(bits, "fingerprints", lambda names, seeds: iter(found.items()))
    path = str(tmp_path / "bits.json")
    bits.main(["--output", path])
    with pytest.raises(SystemExit, match="0"):
        bits.main(["--output", path, "--compare"])
    found |= {"b": "3", "c": "4"}
    with pytest.raises(SystemExit, match="1"):
        bits.main(["--output", path, "--compare"])
    said = capsys.readouterr().out
    assert "changed: b\nnot in the file: c\n1 of 3 as before" in said
