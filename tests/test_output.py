"""Files appear whole or not at all."""

import errno
import os

import pytest

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.output import check_writable, write_whole


def test_files_appear_with_their_content_and_nothing_beside_them(tmp_path):
    write_whole({tmp_path / "a.json": b"a", tmp_path / "b.html": b"b"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.html"]
    assert (tmp_path / "a.json").read_bytes() == b"a"


def test_permissions_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_whole({tmp_path / "a.json": b"a"})
    finally:
        os.umask(old)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o640


def test_what_is_being_written_is_private_until_it_is_whole(tmp_path, monkeypatch):
    seen = []
    chmod = os.chmod

    def look(path, mode, **how):
        seen.append((os.path.dirname(path), os.stat(path).st_mode & 0o777))  # noqa: PTH116, PTH120
        chmod(path, mode, **how)

    monkeypatch.setattr("os.chmod", look)
    write_whole({tmp_path / "a.json": b"a"})
    assert seen == [(str(tmp_path), 0o600)]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("place", ["os.open", "os.chmod", "os.replace"])
def test_an_interrupt_at_any_place_leaves_nothing_behind(tmp_path, monkeypatch, place, stop):
    real = getattr(os, place.removeprefix("os."))

    def interrupted(*arguments, **how):
        if "replace" not in place:
            real(*arguments, **how)
        raise stop

    monkeypatch.setattr(place, interrupted)
    with pytest.raises(stop):
        write_whole({tmp_path / "a.json": b"a", tmp_path / "b.json": b"b"})
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_every_target_as_it_was(tmp_path):
    (tmp_path / "a.json").write_bytes(b"old")
    with pytest.raises(InputError, match=r"b\.html"):
        write_whole({tmp_path / "a.json": b"new", tmp_path / "none" / "b.html": b"b"})
    assert (tmp_path / "a.json").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_link_keeps_pointing_at_the_file_that_is_replaced(tmp_path):
    (tmp_path / "real.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_whole({tmp_path / "link.json": b"new"})
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["folder.json", "pipe.json"])
def test_only_regular_files_are_replaced(tmp_path, name):
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match=name):
        check_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "a\0b.json"])
def test_a_name_that_no_file_can_have_is_refused_in_one_line(tmp_path, name):
    with pytest.raises(InputError, match="cannot be written") as caught:
        check_writable(tmp_path / name)
    assert len(str(caught.value)) < 200


def test_a_full_disk_is_the_machines_fault_and_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fdopen", full)
    with pytest.raises(EnvironmentLacking, match=r"r\.json: cannot be written \(No space left on device\); free some"):
        write_whole({tmp_path / "r.json": b"a"})
    assert list(tmp_path.iterdir()) == []
