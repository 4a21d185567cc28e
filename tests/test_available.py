"""Memory that is left: the least of machine, control groups and limits."""

import resource
import subprocess
import sys

import pytest

from reportgen.available import DRAWING, MEASURING, available_memory, check_room, resident_memory
from reportgen.errors import EnvironmentLacking

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


@pytest.fixture
def fresh(monkeypatch):
    """A process of one processor that has loaded none of the libraries."""
    for name in (*MEASURING, *DRAWING):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")


def limited(monkeypatch, address, data=resource.RLIM_INFINITY):
    infinity = resource.RLIM_INFINITY
    limits = {resource.RLIMIT_AS: (address, infinity), resource.RLIMIT_DATA: (data, infinity)}
    monkeypatch.setattr(resource, "getrlimit", limits.get)


def check(tmp_path, libraries=MEASURING):
    check_room(libraries, tmp_path / "proc", tmp_path / "cgroup")


@pytest.mark.usefixtures("fresh")
def test_libraries_that_a_limit_of_address_space_leaves_no_room_for_are_not_loaded(system, tmp_path, monkeypatch):
    mapped = 100_000 * resource.getpagesize()
    limited(monkeypatch, mapped + 600 * 10**6)
    # numpy 85 + pandas 220 + pyarrow 20 + scipy 150 + faiss 210 = 685 MB.
    with pytest.raises(
        EnvironmentLacking, match=r"takes 685 MB of address space, and the limit leaves 600 MB; raise it"
    ):
        check(tmp_path)
    limited(monkeypatch, mapped + 686 * 10**6)
    check(tmp_path)
    with pytest.raises(EnvironmentLacking, match="takes 1,040 MB"):  # 685 + matplotlib 80 + weasyprint 275
        check(tmp_path, (*MEASURING, *DRAWING))


@pytest.mark.usefixtures("fresh")
def test_each_thread_of_linear_algebra_has_buffers_of_its_own(system, tmp_path, monkeypatch):
    limited(monkeypatch, 100_000 * resource.getpagesize() + 700 * 10**6)
    check(tmp_path)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8))
    # 685 + 2 x (45 + 45 + 135) MB
    with pytest.raises(EnvironmentLacking, match=r"takes 1,135 MB .*, or set OPENBLAS_NUM_THREADS=1$"):
        check(tmp_path)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(1))  # no more threads than processors
    check(tmp_path)


@pytest.mark.usefixtures("fresh")
def test_a_limit_of_data_and_a_small_control_group_count_as_well(system, tmp_path, monkeypatch):
    limited(monkeypatch, resource.RLIM_INFINITY, 3000 * resource.getpagesize() + 100 * 10**6)
    with pytest.raises(EnvironmentLacking, match="ulimit -d"):
        check(tmp_path)
    limited(monkeypatch, resource.RLIM_INFINITY)
    check(tmp_path)
    system("proc/self/cgroup", "0::/a\n")
    system("cgroup/a/memory.max", f"{200 * 10**6}\n")
    system("cgroup/a/memory.current", f"{100 * 10**6}\n")
    # 11 + 70 + 5 + 60 + 20 MB
    with pytest.raises(EnvironmentLacking, match="takes 166 MB, and 100 MB is free; give the container"):
        check(tmp_path)


def test_what_is_loaded_already_takes_nothing_more(system, tmp_path, monkeypatch):
    for name in MEASURING:
        monkeypatch.setitem(sys.modules, name, sys)
    limited(monkeypatch, 100_000 * resource.getpagesize())
    check(tmp_path)


@pytest.mark.parametrize(
    ("command", "kilobytes"),
    [
        *(("assess t.csv t.csv", size) for size in (50_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000)),
        *(("render r.json -o r.pdf", size) for size in (50_000, 200_000, 300_000)),
        ("demo", 500_000),
        ("doctor", 500_000),
    ],
)
def test_under_a_limit_the_command_ends_with_3_and_one_line(tmp_path, command, kilobytes):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 30)
    run = f"ulimit -v {kilobytes}; exec '{sys.executable}' -m reportgen {command}"
    done = subprocess.run(["/bin/sh", "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("reportgen: error: memory: loading the libraries takes ")
    assert done.stderr.count("\n") == 1
