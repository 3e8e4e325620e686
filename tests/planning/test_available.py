"""How much memory is left: the least of what system, control groups and limits allow."""

import resource

import pytest

from graphpac.planning import available
from graphpac.planning.available import LIMIT_VARIABLE, available_memory

MANY = 1 << 50


@pytest.fixture
def system(monkeypatch, tmp_path):
    """A made-up /proc and /sys/fs/cgroup, to be filled; returns a function that writes files."""
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    monkeypatch.setattr(available, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(available, "_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)

    def write(name, *lines):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")

    write("proc/meminfo", "MemTotal: 99 kB", f"MemAvailable:   {MANY} kB")
    return write


def test_what_the_system_has_available(system):
    system("proc/meminfo", "MemTotal:  99 kB", "MemAvailable:   12 kB")
    assert available_memory() == 12 * 1024


def test_elsewhere_all_memory_counts_as_available(system, monkeypatch):
    system("proc/meminfo", "MemTotal: 99 kB")
    monkeypatch.setattr(available.os, "sysconf", {"SC_PHYS_PAGES": 7, "SC_PAGE_SIZE": 512}.get)
    assert available_memory() == 7 * 512


def test_nobody_tells(system, monkeypatch):
    system("proc/meminfo", "nonsense")
    monkeypatch.delattr(available.os, "sysconf")
    assert available_memory() is None


def test_a_group_of_the_second_version(system):
    system("proc/self/cgroup", "0::/user/job")
    system("cgroup/user/job/memory.max", "1000")
    system("cgroup/user/job/memory.current", "800")
    system("cgroup/user/job/memory.stat", "anon 300", "active_file 40", "inactive_file 200")
    assert available_memory() == 1000 - 800 + 240


def test_a_group_lies_inside_those_above_it(system):
    system("proc/self/cgroup", "0::/user/job")
    for group, most in (("", "max"), ("/user", "500"), ("/user/job", "max")):
        system(f"cgroup{group}/memory.max", most)
        system(f"cgroup{group}/memory.current", "100")
    assert available_memory() == 400


def test_a_path_from_outside_the_container_means_its_root(system):
    system("proc/self/cgroup", "0::/../not/here")
    system("cgroup/memory.max", "1000")
    system("cgroup/memory.current", "900")
    assert available_memory() == 100


def test_a_group_of_the_first_version(system):
    system("proc/self/cgroup", "4:cpu,cpuacct:/job", "3:memory:/job", "0::/")
    system("cgroup/memory/job/memory.limit_in_bytes", "1000")
    system("cgroup/memory/job/memory.usage_in_bytes", "700")
    system("cgroup/memory/job/memory.stat", "inactive_file 9", "total_inactive_file 50")
    assert available_memory() == 350


def test_a_group_that_is_full_leaves_nothing(system):
    system("proc/self/cgroup", "0::/")
    system("cgroup/memory.max", "1000")
    system("cgroup/memory.current", "1100")
    assert available_memory() == 0


@pytest.mark.parametrize(("limit", "used"), [("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")])
def test_resource_limits(system, monkeypatch, limit, used):
    system("proc/self/status", "Name: python", "VmSize:  90 kB", "VmData:  90 kB")
    asked = getattr(resource, limit)
    free = resource.RLIM_INFINITY
    monkeypatch.setattr(
        resource, "getrlimit", lambda which: (100 * 1024 if which == asked else free, free)
    )
    assert available_memory() == 10 * 1024, used


@pytest.mark.parametrize(
    ("text", "expected"), [("8e9", 8 * 10**9), ("123", 123), ("off", None), (" OFF ", None)]
)
def test_the_variable_overrides_everything(system, monkeypatch, text, expected):
    monkeypatch.setenv(LIMIT_VARIABLE, text)
    assert available_memory() == expected


@pytest.mark.parametrize("text", ["8 GB", "-1", "nan", "inf", ""])
def test_the_variable_must_be_a_number_of_bytes(monkeypatch, text):
    monkeypatch.setenv(LIMIT_VARIABLE, text)
    with pytest.raises(ValueError, match="must be a number of bytes, such as 8e9, or off"):
        available_memory()


def test_this_machine_has_some_memory():
    left = available_memory()
    assert left is None or 0 < left < MANY
