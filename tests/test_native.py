"""The line that brings native libraries, system by system."""

import pytest

from reportgen import native
from reportgen.native import install_native

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
