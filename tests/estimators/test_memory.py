"""Dense results that do not fit are refused before they are made."""

from pathlib import Path

import pytest

from graphpac.estimators import _memory


def test_the_limit_is_what_is_available(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 4000)
    _memory.check_dense_fits(100, 10)
    with pytest.raises(MemoryError, match="use predict_memberships"):
        _memory.check_dense_fits(1001, 1)


def test_available_memory_is_read_from_the_system(monkeypatch, tmp_path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:   12 kB\n", encoding="ascii")
    monkeypatch.setattr(_memory, "_MEMINFO", meminfo)
    assert _memory.available_memory() == 12 * 1024
    meminfo.write_text("MemTotal: 9 kB\n", encoding="ascii")
    assert _memory.available_memory() is None


def test_without_a_known_limit_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(_memory, "_MEMINFO", Path("does", "not", "exist"))
    assert _memory.available_memory() is None
    _memory.check_dense_fits(10**9, 10**6)
