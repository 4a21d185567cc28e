"""Files appear whole or not at all."""

import errno
import os

import pytest

from reportgen import waiting
from reportgen.errors import EnvironmentLacking, InputError
from reportgen.output import check_writable, write_whole


def test_files_appear_with_their_content_and_nothing_beside_them(tmp_path):
    write_whole({tmp_path / "a.json": b"a", tmp_path / "b.html": b"b"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.html"]
    assert (tmp_path / "a.json").read_bytes() == b"a"


def test_a_folder_that_is_not_there_is_named_with_what_to_do(tmp_path):
    (tmp_path / "link.json").symlink_to("gone/r.json")
    for path, folder in ((tmp_path / "no" / "r.json", "no"), (tmp_path / "link.json", "gone")):
        with pytest.raises(InputError) as caught:
            check_writable(path)
        said = f"{path.name}: its folder {tmp_path / folder} does not exist; make it first, or name a file in one that"
        assert str(caught.value).startswith(said)


def test_permissions_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_whole({tmp_path / "a.json": b"a"})
    finally:
        os.umask(old)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o640


@pytest.fixture(params=["nameless", "named"])
def way(request, monkeypatch):
    """Both ways of writing: into a file without a name, and, where a file system has none, under a hidden name."""
    if request.param == "named":
        monkeypatch.setattr(waiting, "NAMELESS", 0)
    return request.param


def test_both_ways_end_with_the_same_files(tmp_path, way):
    (tmp_path / "a.json").write_bytes(b"old")
    write_whole({tmp_path / "a.json": b"new", tmp_path / "b.html": b"b"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.json": b"new", "b.html": b"b"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o666 & ~umask()}


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_has_no_name_while_it_is_written(tmp_path, monkeypatch, way):
    seen = []
    real = os.fsync
    monkeypatch.setattr("os.fsync", lambda file: (seen.append([path.name for path in tmp_path.iterdir()]), real(file)))
    write_whole({tmp_path / "a.json": b"a"})
    assert [len(names) for names in seen] == [way == "named"]


@pytest.mark.parametrize("refused", ["os.open", "os.link"])
def test_where_nameless_files_cannot_be_had_or_named_a_hidden_name_serves(tmp_path, monkeypatch, refused):
    real = getattr(os, refused.removeprefix("os."))

    def refusing(path, flags, *more, **how):
        if refused == "os.link" or flags & waiting.NAMELESS == waiting.NAMELESS:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return real(path, flags, *more, **how)

    monkeypatch.setattr(refused, refusing)
    write_whole({tmp_path / "a.json": b"a", tmp_path / "b.json": b"b"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_what_is_being_written_is_private_until_it_is_whole(tmp_path, monkeypatch, way):
    seen = []
    chmod = os.fchmod

    def look(file, mode):
        seen.append((os.fstat(file).st_mode & 0o777, os.fstat(file).st_size))
        chmod(file, mode)

    monkeypatch.setattr("os.fchmod", look)
    write_whole({tmp_path / "a.json": b"a"})
    assert seen == [(0o600, 1)]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("place", ["os.open", "os.fchmod", "os.link", "os.replace"])
def test_an_interrupt_at_any_place_leaves_nothing_behind(tmp_path, monkeypatch, way, place, stop):
    if (way, place) == ("named", "os.link"):
        return  # nothing is linked there
    real = getattr(os, place.removeprefix("os."))

    def interrupted(*arguments, **how):
        if "replace" not in place:
            real(*arguments, **how)
        raise stop

    monkeypatch.setattr(place, interrupted)
    with pytest.raises(stop):
        write_whole({tmp_path / "a.json": b"a", tmp_path / "b.json": b"b"})
    assert list(tmp_path.iterdir()) == []


LEFT = ".reportgen-0123456789abcdef"


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    (tmp_path / LEFT).write_bytes(b"half")
    write_whole({tmp_path / "a.json": b"a"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_what_a_living_run_writes_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(waiting, "NAMELESS", 0)
    other = waiting.Waiting(tmp_path / "other.json")
    other.write(b"its")
    write_whole({tmp_path / "a.json": b"a"})
    other.put_in_place()
    other.discard()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.json": b"a", "other.json": b"its"}


def test_a_run_whose_file_was_taken_for_abandoned_writes_it_again(tmp_path, monkeypatch):
    monkeypatch.setattr(waiting, "NAMELESS", 0)
    real, opened = os.open, []

    def disturbed(path, *how, **more):
        descriptor = real(path, *how, **more)
        if waiting.PREFIX in str(path) and not opened:
            opened.append(path)
            os.unlink(path)  # noqa: PTH108
        return descriptor

    monkeypatch.setattr("os.open", disturbed)
    write_whole({tmp_path / "a.json": b"a"})
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"a")]


def test_nothing_else_of_such_a_name_is_touched(tmp_path):
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / LEFT).symlink_to(tmp_path / "kept")
    (tmp_path / f"{LEFT[:-1]}0").mkdir()
    os.mkfifo(tmp_path / f"{LEFT[:-1]}1")
    (tmp_path / f"{LEFT}.json").write_bytes(b"another's")
    before = sorted(path.name for path in tmp_path.iterdir())
    write_whole({tmp_path / "a.json": b"a"})
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "a.json"])


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
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fdopen", full)
    with pytest.raises(EnvironmentLacking, match=r"r\.json: cannot be written \(No space left on device\); free some"):
        write_whole({tmp_path / "r.json": b"a"})
    assert list(tmp_path.iterdir()) == []
