"""The line that brings native libraries, system by system."""

import ctypes.util
import subprocess
import sys

import pytest

from reportgen import native
from reportgen.native import install_native, libraries_by_the_loader_alone

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n'
UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n'
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'
FEDORA = 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=40\n'
ROCKY = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'
ALPINE = 'NAME="Alpine Linux"\nID=alpine\n'
TUMBLEWEED = 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DEBIAN, native.DEBIAN),
        (UBUNTU, native.DEBIAN),
        (MINT, native.DEBIAN),
        (FEDORA, native.FEDORA),
        (ROCKY, native.FEDORA),
        (ALPINE, native.ALPINE),
        ("ID=manjaro\nID_LIKE=arch\n", native.ARCH),
        (TUMBLEWEED, native.SUSE),
        ("ID=nixos\n", native.UNKNOWN),
        ("", native.UNKNOWN),
        ('ID="never closed\nID_LIKE=debian\n', native.DEBIAN),
        ("\xff\x00=\n=\nID\n", native.UNKNOWN),
    ],
)
def test_linux_is_told_by_os_release(tmp_path, text, line):
    path = tmp_path / "os-release"
    path.write_text(text, encoding="utf-8")
    assert install_native("linux", (path,)) == line


def test_the_first_file_that_is_there_counts(tmp_path):
    (tmp_path / "second").write_text(FEDORA)
    assert install_native("linux", (tmp_path / "first", tmp_path / "second")) == native.FEDORA
    assert install_native("linux", (tmp_path / "first",)) == native.UNKNOWN


def test_other_systems_are_told_by_the_platform(tmp_path):
    path = tmp_path / "os-release"
    path.write_text(DEBIAN)
    assert install_native("darwin", (path,)) == "brew install pango"
    assert "MSYS2" in install_native("win32", (path,))


def test_every_advice_is_one_line():
    for platform in ("linux", "darwin", "win32"):
        assert "\n" not in install_native(platform)


def test_search_for_libraries_is_back_after_an_error():
    search = ctypes.util.find_library
    with pytest.raises(ZeroDivisionError), libraries_by_the_loader_alone("linux"):
        1 // len(ctypes.util.find_library("c") or "")
    assert ctypes.util.find_library is search


def test_search_for_libraries_stays_where_the_loader_does_not_know_all_folders():
    search = ctypes.util.find_library
    with libraries_by_the_loader_alone("darwin"):
        assert ctypes.util.find_library is search


@pytest.mark.skipif(sys.platform != "linux", reason="processes are started for the search on Linux alone")
def test_loading_the_typesetter_starts_no_process():
    program = (
        "import sys\n"
        "started = []\n"
        "sys.addaudithook(lambda event, _: started.append(event) if event == 'subprocess.Popen' else None)\n"
        "from reportgen.render import pdf\n"
        "pdf._weasyprint()\n"
        "sys.exit(len(started))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
