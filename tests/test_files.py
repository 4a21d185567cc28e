"""Files from outside: none makes the program wait, fill the memory, or write over what it reads."""

import os

import pytest

from reportgen import cli, config
from reportgen.errors import InputError
from reportgen.files import read_bounded, refuse_overwriting
from reportgen.toml_file import read_toml


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("o", "s")):
        rows = "".join(f"{row / 7 + number},{row % 3}\n" for row in range(30))
        (tmp_path / f"{name}.csv").write_text("x,y\n" + rows)

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            cli.main(list(words))
        return caught.value.code, capsys.readouterr().err

    return call


@pytest.fixture(params=["pipe", "device", "link to a device", "folder", "link to a folder", "link to nothing"])
def irregular(request, tmp_path):
    """Make what is no file at a path; opening the pipe for reading would wait for a writer for ever."""

    def make(name):
        path = tmp_path / name
        if request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "folder":
            path.mkdir()
        elif request.param == "device":
            return path.symlink_to("/dev/zero")
        else:
            path.symlink_to({"device": "/dev/zero", "folder": tmp_path}.get(request.param[10:], tmp_path / "none"))
        return None

    return make


def test_what_is_no_file_is_refused_everywhere_in_one_line_and_at_once(run, irregular):
    for name, words in (
        ("odd.csv", ("assess", "odd.csv", "s.csv")),
        ("odd.npy", ("assess", "o.csv", "odd.npy")),
        ("odd.parquet", ("assess", "o.csv", "s.csv", "--holdout", "odd.parquet")),
        ("odd.toml", ("assess", "o.csv", "s.csv", "-c", "odd.toml", "-m", "exact_copies")),
        ("odd.json", ("render", "odd.json", "-o", "r.html")),
        ("reportgen.toml", ("assess", "o.csv", "s.csv", "-m", "exact_copies")),
    ):
        irregular(name)
        code, err = run(*words)
        assert (code, err.count("\n")) == (2, 1), (name, err)
        assert name in err


def test_an_output_that_is_no_file_is_refused_before_anything_is_read(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "device.json").symlink_to("/dev/null")
    for name in ("pipe.json", "folder.json", "device.json"):
        code, err = run("assess", "none.csv", "none.csv", "-o", name)
        assert (code, err.count("\n")) == (2, 1)
        assert f"{name}: is no regular file" in err


def test_a_file_is_read_up_to_its_bound(tmp_path):
    (tmp_path / "small").write_bytes(b"x" * 10)
    assert read_bounded(tmp_path / "small", 10, "list") == b"x" * 10
    with pytest.raises(InputError, match=r"^small: larger than 0 MiB, which no list is$"):
        read_bounded(tmp_path / "small", 9, "list")


def test_a_name_that_no_file_can_have_is_one_line(tmp_path):
    for name in ("a\0b", "x" * 300):
        with pytest.raises(InputError, match="cannot be read") as caught:
            read_bounded(tmp_path / name, 10, "list")
        assert len(str(caught.value)) < 200
        assert "\0" not in str(caught.value)


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link", "another way there"])
@pytest.mark.parametrize("output", ["result", "table"])
def test_an_output_that_is_an_input_is_refused_and_the_input_stays(run, tmp_path, way, output):
    (tmp_path / "sub").mkdir()
    source = tmp_path / ("r.json" if output == "result" else "s.csv")
    source.write_text("precious") if output == "result" else None
    before = source.read_bytes()
    target = tmp_path / "out.json"
    if way == "symbolic link":
        target.symlink_to(source)
    elif way == "hard link":
        target.hardlink_to(source)
    else:
        target = source if way == "itself" else tmp_path / "sub" / ".." / source.name
    words = ("render", "r.json") if output == "result" else ("assess", "o.csv", "s.csv")
    code, err = run(*words, "-o", str(target))
    assert (code, err.count("\n")) == (2, 1)
    assert ("is the input" in err) or ("unknown format" in err and target.name.endswith(".csv"))
    assert source.read_bytes() == before


def test_settings_and_one_array_of_several_are_inputs_too(run, tmp_path):
    (tmp_path / "reportgen.toml").write_text("seed = 1\n")
    (tmp_path / "r.json").symlink_to("reportgen.toml")
    assert "is the input reportgen.toml" in run("assess", "o.csv", "s.csv", "-o", "r.json")[1]
    (tmp_path / "a.npz").write_bytes(b"x")
    (tmp_path / "b.json").symlink_to("a.npz")
    with pytest.raises(InputError, match=r"b\.json: this output is the input a\.npz:key"):
        refuse_overwriting([str(tmp_path / "b.json")], [str(tmp_path / "a.npz:key"), None])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "too long"),
        (b"\xff", "not UTF-8"),
        (b"a = 1\n" * 300_000, "larger than 1 MiB"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (b"\x1b = 1", "not valid TOML"),
        (b'"' + b"k" * 5000 + b'" = 1\n"' + b"k" * 5000 + b'" = 2', "not valid TOML"),
    ],
)
def test_a_config_file_made_to_break_the_reader_is_one_line(tmp_path, text, part):
    (tmp_path / "c.toml").write_bytes(text)
    with pytest.raises(InputError, match=part) as caught:
        read_toml(tmp_path / "c.toml")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


def test_an_unknown_key_is_shown_on_one_line(tmp_path):
    (tmp_path / "c.toml").write_text('"\\u001b[31m\\n' + "x" * 500 + '" = 1')
    with pytest.raises(InputError, match="unknown key") as caught:
        config.read_config(tmp_path / "c.toml")
    assert str(caught.value).isprintable()
