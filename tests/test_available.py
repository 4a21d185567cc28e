"""Memory that is left: the least of machine, control groups and limits."""

import resource

import pytest

from reportgen.available import available_memory, resident_memory

MEBI = 2**20


@pytest.fixture
def system(tmp_path):
    """A made-up /proc and /sys/fs/cgroup; returns a function that writes a file below them."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable:  1024000 kB\n")
    write("proc/self/statm", "100000 2000 10 1 0 3000 0\n")
    return write


def available(tmp_path):
    return available_memory(tmp_path / "proc", tmp_path / "cgroup")


def test_the_machines_own_figure(system, tmp_path):
    assert available(tmp_path) == 1000 * MEBI


def test_a_control_group_of_version_2_and_those_above_limit_it(system, tmp_path):
    system("proc/self/cgroup", "0::/a/b\n")
    system("cgroup/a/b/memory.max", "max\n")
    system("cgroup/a/b/memory.current", "1\n")
    assert available(tmp_path) == 1000 * MEBI
    system("cgroup/a/memory.max", f"{500 * MEBI}\n")
    system("cgroup/a/memory.current", f"{300 * MEBI}\n")
    assert available(tmp_path) == 200 * MEBI
    system("cgroup/a/memory.stat", f"anon 5\ninactive_file {100 * MEBI}\n")  # can be given up
    assert available(tmp_path) == 300 * MEBI


def test_a_control_group_of_version_1_limits_it(system, tmp_path):
    system("proc/self/cgroup", "4:cpu,memory:/x\n0::/\n")
    system("cgroup/memory/x/memory.limit_in_bytes", f"{400 * MEBI}\n")
    system("cgroup/memory/x/memory.usage_in_bytes", f"{100 * MEBI}\n")
    assert available(tmp_path) == 300 * MEBI
    system("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    system("cgroup/memory/memory.usage_in_bytes", "5\n")
    assert available(tmp_path) == 300 * MEBI


def test_in_a_container_the_limit_stands_at_the_root(system, tmp_path):
    system("proc/self/cgroup", "0::/docker/0123\n")
    system("cgroup/memory.max", f"{64 * MEBI}\n")
    system("cgroup/memory.current", f"{70 * MEBI}\n")
    assert available(tmp_path) == 0


def test_a_limit_of_address_space_counts_what_is_mapped(system, tmp_path, monkeypatch):
    infinity = resource.RLIM_INFINITY
    limits = {resource.RLIMIT_AS: (1024 * MEBI, infinity), resource.RLIMIT_DATA: (infinity, infinity)}
    monkeypatch.setattr(resource, "getrlimit", limits.get)
    mapped = 100_000 * resource.getpagesize()
    assert available(tmp_path) == 1024 * MEBI - mapped - 256 * MEBI


def test_elsewhere_nothing_is_known(tmp_path):
    assert available(tmp_path) is None
    assert resident_memory(tmp_path) == 0


def test_on_this_machine_something_is_held():
    assert 10 * MEBI < resident_memory() < 100_000 * MEBI
