"""Results that people have on disk still render: those kept of each schema version, and newer ones of its major."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import reportgen
from reportgen.model import SCHEMA_VERSION, to_json
from reportgen.render import FORMATS

FIXTURES = Path(__file__).with_name("fixtures")
KEPT = sorted(FIXTURES.glob("*.*/*.json"))
SUFFIXES = tuple(one.suffix for one in FORMATS)
MEASURING = ("dask", "faiss", "pandas", "pyarrow", "scipy", "reportgen.metrics", "reportgen.read", "reportgen.space")
NEWER = "1.900"


@pytest.fixture
def plain():
    """The leaky result as plain values, which a test may change."""
    return json.loads((FIXTURES / SCHEMA_VERSION / "leaky.json").read_text(encoding="utf-8"))


@pytest.fixture
def kept(tmp_path):
    """Write plain values as a result file."""

    def keep(plain):
        path = tmp_path / "kept.json"
        path.write_text(json.dumps(plain), encoding="utf-8")
        return path

    return keep


def test_each_version_up_to_this_one_is_kept():
    """A new minor version keeps files of its own, so that the versions before it stay readable."""
    major, minor = map(int, SCHEMA_VERSION.split("."))
    assert {path.parent.name for path in KEPT} >= {f"{major}.{older}" for older in range(minor + 1)}
    for version in {path.parent for path in KEPT}:
        assert {path.stem for path in version.iterdir()} == {"good", "leaky", "no_holdout", "signals"}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_kept_result_renders_to_every_format_without_a_measuring_library(path, tmp_path):
    words = ["render", str(path), "-q"] + [word for suffix in SUFFIXES for word in ("-o", f"r{suffix}")]
    script = (
        "import sys\nfrom reportgen.cli import main\n"
        f"try: main({words!r})\nexcept SystemExit as done: code = done.code\n"
        f"print(code, [name for name in {MEASURING!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (done.stdout.strip(), done.stderr) == ("0 []", "")
    assert {file.name for file in tmp_path.iterdir()} == {f"r{suffix}" for suffix in SUFFIXES}
    assert holds(json.loads((tmp_path / "r.json").read_bytes()), json.loads(path.read_bytes()))


def holds(value, kept):
    """Whether a value is the kept one, but for keys of objects that were added since."""
    if isinstance(kept, dict):
        return isinstance(value, dict) and all(key in value and holds(value[key], kept[key]) for key in kept)
    if isinstance(kept, list):
        return isinstance(value, list) and len(value) == len(kept) and all(map(holds, value, kept))
    return type(value) is type(kept) and value == kept


def with_novelties(plain):
    """The same result as a newer minor version might write it: keys that are not known here, at every level."""
    novel = json.loads(json.dumps(plain)) | {"schema_version": NEWER, "novel": {"deep": [1]}}
    novel["settings"]["novel"] = novel["settings"]["thresholds"]["novel"] = 1
    novel["inputs"]["original"]["novel"] = novel["columns"][0]["novel"] = "text"
    novel["verdict"]["reasons"][0]["novel"] = novel["holdout"]["novel"] = None
    novel["metrics"]["exact_copies"]["scores"]["synthetic_rows"]["novel"] = 0.5
    novel["metrics"]["novel_metric"] = {"status": "measured", "scores": {}}
    novel["controls"]["memorising"]["scores"]["novel_metric"] = {}
    novel["baseline"]["scores"]["novel_metric"] = {}
    return novel


def test_a_newer_minor_version_renders_without_what_is_not_known_and_says_so(plain, kept, run, tmp_path):
    path = kept(with_novelties(plain))
    code, _, err = run("render", path, *(word for suffix in SUFFIXES for word in ("-o", f"r{suffix}")), "-q")
    assert (code, err) == (0, "")
    assert holds(json.loads((tmp_path / "r.json").read_text()), plain | {"schema_version": NEWER})
    for page in ("r.html", "r.json", "r.md"):
        assert "novel" not in (tmp_path / page).read_text()
    assert f"{NEWER}, newer than the {SCHEMA_VERSION} that this version of reportgen knows" in (
        tmp_path / "r.html"
    ).read_text(encoding="utf-8")


def test_a_result_of_this_version_speaks_of_no_newer_one(plain, kept, run, tmp_path):
    run("render", kept(plain), "-o", "r.html", "-q")
    assert "newer than" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_what_was_left_out_once_is_left_out_again_in_the_same_bytes(plain, kept):
    once = reportgen.load(kept(with_novelties(plain))).result
    assert reportgen.load(kept(json.loads(to_json(once)))).result == once


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain["policy"].update(novel_rule=1),
        lambda plain: plain["policy"]["limits"]["closest_rate.rate"].update(novel=1),
        lambda plain: plain["policy"]["waivers"][0].update(novel=1),
        lambda plain: plain["verdict"]["reasons"][0].update(code="novel_reason"),
        lambda plain: plain["verdict"]["reasons"][0].update(metric="novel_metric"),
        lambda plain: plain["verdict"].update(level="novel"),
        lambda plain: plain["coverage"]["inference"]["metrics"].append("novel_metric"),
        lambda plain: plain["metrics"].update(closest_rate={"status": "not_measured", "code": "novel", "reason": ""}),
        lambda plain: plain["holdout"].pop("kind"),
    ],
)
def test_what_could_change_a_decision_is_refused_in_one_line(plain, kept, run, tmp_path, change):
    """A rule that is left out would be met, a reason that is left out could be the only one."""
    plain["schema_version"] = NEWER
    change(plain)
    code, out, err = run("render", kept(plain), "-o", "r.html")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.rstrip().endswith("its schema is newer: use the reportgen that wrote it")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("version", ["0.9", "2.0", "11.0"])
def test_another_major_version_is_refused_in_one_line(plain, kept, run, tmp_path, version):
    code, out, err = run("render", kept(plain | {"schema_version": version}), "-o", "r.html", "-o", "r.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f"kept.json: schema version {version}, and this reportgen reads 1.x; assess again" in err
    assert not list(tmp_path.glob("r.*"))


@pytest.mark.parametrize(
    "version", ["1", "1.", "1.0\n", "1.00", "01.0", "1.0.0", "\u0661.\u0660", "1.9999999", "", 1.0, None, ["1.0"]]
)
def test_what_is_no_version_makes_no_result(plain, kept, version):
    with pytest.raises(reportgen.InputError, match="no reportgen result, which names its schema version"):
        reportgen.load(kept(plain | {"schema_version": version}))


def test_an_unknown_key_of_this_version_is_an_error(plain, kept):
    with pytest.raises(reportgen.InputError, match="was the file changed by hand"):
        reportgen.load(kept(plain | {"novel": 1}))
