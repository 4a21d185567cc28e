"""The Python interface of the contract."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import api


@pytest.fixture(scope="module")
def leaky(adult):
    return reportgen.assess(
        adult / "original.parquet", adult / "synthetic_leaky.parquet", adult / "holdout.parquet", resamples=100
    )


def table(rows, seed):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "amount": random.normal(size=rows).round(2),
            "group": random.choice(["a", "b", "c"], rows),
            "seen": random.choice([True, False], rows),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 900, rows), unit="D"),
        }
    )


def test_the_known_leak_of_the_control_is_found_exactly(leaky):
    assert leaky.verdict.level == "high"
    assert leaky.metrics["exact_copies"].scores["synthetic_rows"].value == 0.05
    assert leaky.metrics["closest_distances_ratio"].scores["outlier"].value == 0


def test_the_good_table_has_no_copy_and_reads_low(adult):
    found = reportgen.assess(
        adult / "original.parquet", adult / "synthetic_good.parquet", adult / "holdout.parquet", resamples=100
    )
    assert found.metrics["exact_copies"].scores["synthetic_rows"].value == 0
    assert found.verdict.level == "low"


def test_scores_are_a_table_of_all_measured_scores(leaky):
    scores = leaky.scores()
    assert list(scores.columns) == [
        *("metric", "score", "value", "low", "high", "reference", "null_low", "null_high", "unit", "better")
    ]
    row = scores[(scores.metric == "closest_rate") & (scores.score == "rate")].iloc[0]
    assert row.value == leaky.metrics["closest_rate"].scores["rate"].value


def test_reports_written_in_one_call_are_vouched_for_by_the_statement(leaky, tmp_path):
    leaky.write(tmp_path / "r.intoto.json", str(tmp_path / "r.junit.xml"), tmp_path / "r.json")
    subjects = json.loads((tmp_path / "r.intoto.json").read_text())["subject"]
    for name in ("r.json", "r.junit.xml"):
        digest = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert {"name": name, "digest": {"sha256": digest}} in subjects
    assert subjects[0]["name"] == "synthetic_leaky.parquet"


def test_no_pipeline_format_holds_a_cell_value(leaky, tmp_path, adult):
    names = ("r.junit.xml", "r.sarif", "r.md", "r.prom", "r.intoto.json")
    leaky.write(*(tmp_path / name for name in names))
    text = "".join((tmp_path / name).read_text(encoding="utf-8") for name in names)
    cells = pd.read_parquet(adult / "synthetic_leaky.parquet").select_dtypes(exclude="number")
    values = {value for column in cells for value in cells[column].dropna().unique() if len(str(value)) > 3}
    assert "Private" in values
    assert [value for value in values if value in text] == []


def test_what_the_machine_cannot_make_is_raised_after_the_others_are_written(leaky, tmp_path, monkeypatch):
    def lacking(*_):
        raise reportgen.EnvironmentLacking("Pango is missing")

    monkeypatch.setattr("reportgen.render.pdf.render", lacking)
    with pytest.raises(reportgen.EnvironmentLacking, match="Pango"):
        leaky.write(tmp_path / "r.pdf", tmp_path / "r.md")
    assert [path.name for path in tmp_path.iterdir()] == ["r.md"]


def test_a_result_survives_writing_and_loading(leaky, tmp_path):
    leaky.write(tmp_path / "result.json")
    assert reportgen.load(tmp_path / "result.json") == leaky
    assert reportgen.load(tmp_path / "result.json").to_json() == leaky.to_json()


def test_a_result_that_an_editor_saved_with_a_byte_order_mark_is_read(leaky, tmp_path):
    (tmp_path / "r.json").write_text(leaky.to_json(), encoding="utf-8-sig")
    assert reportgen.load(tmp_path / "r.json") == leaky
    (tmp_path / "r.json").write_text(leaky.to_json(), encoding="utf-16")
    with pytest.raises(reportgen.InputError, match="UTF-16, not UTF-8; save it as UTF-8"):
        reportgen.load(tmp_path / "r.json")


def test_dataframes_and_arrays_are_assessed_like_files():
    found = reportgen.assess(table(300, 1), table(300, 2), table(300, 3), resamples=100)
    assert {column.name: column.kind for column in found.columns} == {
        "amount": "numeric",
        "group": "categorical",
        "seen": "boolean",
        "day": "datetime",
    }
    assert found.result.inputs.original.sha256 is None
    arrays = [np.random.default_rng(seed).normal(size=(100, 3)) for seed in (1, 2, 3)]
    assert [column.name for column in reportgen.assess(*arrays, resamples=100).columns] == ["c0", "c1", "c2"]


def test_a_table_in_memory_measures_the_same_as_its_file(tmp_path):
    tables = [table(200, seed) for seed in (1, 2, 3)]
    for position, frame in enumerate(tables):
        frame.to_parquet(tmp_path / f"{position}.parquet")
        frame.to_csv(tmp_path / f"{position}.csv", index=False)
    results = [
        reportgen.assess(*tables, resamples=100).result,
        reportgen.assess(*(tmp_path / f"{i}.parquet" for i in range(3)), resamples=100).result,
        reportgen.assess(*(tmp_path / f"{i}.csv" for i in range(3)), resamples=100).result,
    ]
    for other in results[1:]:
        assert other.metrics == results[0].metrics
        assert other.inputs.original.content_sha256 == results[0].inputs.original.content_sha256


def test_without_a_holdout_random_halves_stand_in_and_say_so():
    found = reportgen.assess(table(300, 1), table(300, 2), resamples=100)
    assert found.holdout.kind == "approximate"
    assert found.holdout.draws == 20
    assert found.holdout.rows == 150
    assert found.verdict.level == "inconclusive"
    assert found.verdict.reasons[0].code == "no_true_holdout"
    assert {"approximate_holdout", "small_original"} <= {finding.code for finding in found.findings}
    assert "approximate_holdout" in found.metrics["closest_rate"].notes
    assert found.metrics["exact_copies"].scores["synthetic_rows"].reference is None


def test_a_total_leak_is_high_without_a_holdout_too_in_any_row_order():
    original = table(300, 1)
    found = [reportgen.assess(original, copy, resamples=100) for copy in (original.copy(), original[::-1])]
    assert [one.verdict.level for one in found] == ["high", "high"]
    assert found[0].metrics == found[1].metrics


def test_a_holdout_of_another_size_is_drawn_down():
    found = reportgen.assess(table(300, 1), table(300, 2), table(100, 3), resamples=100)
    assert found.holdout.draws == 20
    assert found.holdout.base_rows == 100
    assert "bases_drawn_down" in {finding.code for finding in found.findings}


def test_drawing_down_keeps_the_score_near_100_for_independent_rows():
    """Trap 3: against an undiminished base of three times the rows, the median would read far below 100."""
    original, synthetic, held = (
        np.random.default_rng(s).normal(size=(n, 4)) for s, n in ((1, 600), (2, 600), (3, 200))
    )
    found = reportgen.assess(original, synthetic, held, projection="none", resamples=100)
    assert found.metrics["distance_to_closest"].scores["median"].value == pytest.approx(100, abs=8)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiny_tables_are_measured_or_not_but_never_low(rows):
    found = reportgen.assess(*(np.random.default_rng(s).normal(size=(rows, 2)) for s in (1, 2, 3)), projection="none")
    measured = [key for key, metric in found.metrics.items() if metric.status == "measured"]
    assert ("closest_rate" in measured) is (rows >= 2)
    assert found.verdict.level != "low"
    assert "too_few_rows" in {reason.code for reason in found.verdict.reasons}


def test_few_synthetic_rows_beside_many_real_ones_are_never_low():
    """Near copies planted in three rows can outnumber them: the smallest leak is then all of them."""
    original, holdout = (np.random.default_rng(s).integers(0, 3, (40, 3)).astype(float) for s in (1, 3))
    for seed in range(4):
        synthetic = np.random.default_rng(10 + seed).integers(0, 3, (3, 3)).astype(float) + 0.5
        found = reportgen.assess(original, synthetic, holdout, projection="none", resamples=100, draws=2)
        share = found.result.controls.detectable.share
        assert share is None or 0 < share <= 1
        assert found.verdict.level != "low"


def test_a_table_without_a_usable_column_is_not_measured_and_says_why():
    constant = pd.DataFrame({"a": [1] * 30, "b": ["x"] * 30})
    found = reportgen.assess(constant, constant, constant)
    assert found.metrics["exact_copies"].code == "no_columns"
    assert found.metrics["closest_rate"].code == "no_columns"
    assert found.verdict.level == "inconclusive"
    assert [(finding.code, finding.count) for finding in found.findings] == [("column_left_out", 2)]
    found.rendered("x.html")


def test_names_from_the_original_in_a_column_without_distances_do_not_read_low():
    tables = [table(200, seed).assign(name=[f"resident {seed} number {i}" for i in range(200)]) for seed in (1, 2, 3)]
    original, synthetic, _ = tables
    fresh = reportgen.assess(*tables, resamples=100)
    assert fresh.metrics["exact_copies"].scores["column:name:reused"].value == 0
    assert fresh.metrics["exact_copies"].scores["column:name:p_value"].value == 1
    synthetic.loc[:9, "name"] = original.loc[:9, "name"]
    reused = reportgen.assess(*tables, resamples=100)
    assert reused.metrics["exact_copies"].scores["column:name:reused"].value == pytest.approx(0.05)
    assert reused.verdict.level == "high"
    assert reused.verdict.reasons[0].code == "identifier_reuse_significant"
    assert "resident" not in reused.to_json()
    ignored = reportgen.assess(*tables, resamples=100, ignore="name")
    assert "column:name:reused" not in ignored.metrics["exact_copies"].scores


def test_only_selected_metrics_are_measured_and_the_others_keep_their_place():
    found = reportgen.assess(table(100, 1), table(100, 2), table(100, 3), metric="closest_rate", resamples=100)
    assert found.metrics["closest_rate"].status == "measured"
    assert found.metrics["exact_copies"].code == "not_selected"
    assert set(found.metrics) == set(reportgen.settings.METRIC_KEYS)
    assert "metric_not_selected" in {reason.code for reason in found.verdict.reasons}


def test_selecting_metrics_changes_no_value_of_those_selected():
    tables = [table(150, seed) for seed in (1, 2, 3)]
    alone = reportgen.assess(*tables, metric="closest_rate", resamples=100)
    assert alone.metrics["closest_rate"] == reportgen.assess(*tables, resamples=100).metrics["closest_rate"]


def test_the_memorising_control_reads_far_worse_than_the_table(leaky, adult):
    good = reportgen.assess(
        adult / "original.parquet", adult / "synthetic_good.parquet", adult / "holdout.parquet", resamples=100
    )
    control = good.result.controls.memorising
    assert control.rows == 1000
    assert control.scores["exact_copies"]["synthetic_rows"].value == 0.5
    assert control.scores["closest_rate"]["rate"].value < 60 < good.metrics["closest_rate"].scores["rate"].value


def test_the_number_of_threads_changes_no_byte(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    tables = [table(200, seed) for seed in (1, 2, 3)]
    assert len({reportgen.assess(*tables, jobs=jobs, resamples=100).to_json() for jobs in (1, 2, 3)}) == 1


def test_another_seed_changes_intervals_but_no_value_at_equal_sizes():
    tables = [table(200, seed) for seed in (1, 2, 3)]
    one, other = (reportgen.assess(*tables, seed=seed, resamples=100).metrics["closest_rate"] for seed in (0, 1))
    assert one.scores["rate"].value == other.scores["rate"].value
    assert one.scores["rate"].low != other.scores["rate"].low or one.scores["rate"].high != other.scores["rate"].high


def test_the_creation_time_is_the_source_date_epoch(monkeypatch):
    assert api.created({"SOURCE_DATE_EPOCH": "1700000000"}) == "2023-11-14T22:13:20Z"
    with pytest.raises(reportgen.InputError, match="SOURCE_DATE_EPOCH"):
        api.created({"SOURCE_DATE_EPOCH": "soon"})


def test_the_command_repeats_the_run_with_base_names_and_settings_that_differ(leaky):
    assert leaky.result.command == (
        "REPORTGEN_RESAMPLES=100 reportgen assess original.parquet synthetic_leaky.parquet --holdout holdout.parquet"
    )


def test_progress_is_reported_by_stage():
    stages, counted = [], set()

    def note(stage, done, total):
        assert 0 <= done < total
        stages.append(stage)
        if total > 1:
            counted.add(stage)

    reportgen.assess(table(60, 1), table(60, 2), table(60, 3), resamples=100, progress=note)
    assert counted >= {"measure", "smallest leak"}
    assert list(dict.fromkeys(stages)) == ["read", "encode", "compare", "search", "measure", "control", "smallest leak"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "not a JSON file"),
        ("[1]", "schema version"),
        ('{"schema_version": "2.0"}', "schema version"),
        ('{"schema_version": "1.0"}', "not a valid result"),
        pytest.param("[" * 200_000, "nested too deeply", id="deep"),
        pytest.param('{"schema_version": "1.0", "x": ' + "1" * 10_000 + "}", "not a JSON file", id="long number"),
        ('\ufeff{"schema_version": "1.0"}', "not a valid result"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(tmp_path, text, part):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(reportgen.InputError, match=part) as caught:
        reportgen.load(tmp_path / "r.json")
    assert str(caught.value).startswith("r.json")
    assert "\n" not in str(caught.value)


def test_a_changed_result_is_refused_without_printing_its_values(leaky, tmp_path):
    plain = json.loads(leaky.to_json())
    plain["metrics"]["closest_rate"]["scores"]["rate"]["value"] = "SECRET"
    (tmp_path / "r.json").write_text(json.dumps(plain))
    with pytest.raises(reportgen.InputError) as caught:
        reportgen.load(tmp_path / "r.json")
    assert "SECRET" not in str(caught.value)


def test_an_assessment_shows_itself_in_a_notebook(leaky):
    shown = leaky._repr_html_()
    assert "High risk" in shown
    assert "100 synthetic rows" in shown


def test_the_package_offers_the_names_of_the_contract():
    assert {"assess", "load", "nearest_two", "Assessment", "InputError", "ReportgenError"} <= set(dir(reportgen))
    assert issubclass(reportgen.InputError, reportgen.ReportgenError)
    with pytest.raises(AttributeError):
        reportgen.nothing  # noqa: B018


@pytest.mark.parametrize("jobs", [0, -3, "x", 1.5])
def test_a_wrong_number_of_threads_is_an_input_error(jobs):
    with pytest.raises(reportgen.InputError, match="jobs: must be a whole number"):
        reportgen.assess(np.zeros((3, 2)), np.zeros((3, 2)), jobs=jobs)


@pytest.mark.parametrize("text", ["", "abc", "1e9", "99999999999999999"])
def test_a_wrong_source_date_epoch_is_an_input_error_in_a_fresh_process(text):
    code = (
        "import reportgen\nfrom reportgen.api import assess\n"
        "try: assess('a.csv', 'b.csv')\nexcept reportgen.InputError as error: print(error)"
    )
    environ = {**os.environ, "SOURCE_DATE_EPOCH": text}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=True)
    assert done.stdout.startswith("SOURCE_DATE_EPOCH: must be a whole number")


def test_the_printed_command_can_be_repeated_with_odd_file_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (b"-x.csv", b"a b.csv", b"bad\xff.csv"):
        with open(name, "w") as file:  # noqa: PTH123 -- names of bytes
            file.write("x,y\n" + "".join(f"{row / 7},{row % 3}\n" for row in range(30)))
    assessment = reportgen.assess("-x.csv", "a b.csv", os.fsdecode(b"bad\xff.csv"), metric="exact_copies")
    assert assessment.result.command == (
        "reportgen assess ./-x.csv 'a b.csv' --holdout 'bad\N{REPLACEMENT CHARACTER}.csv' --metric exact_copies"
    )
    assert assessment.to_json().encode()  # no letter without a code


def test_a_result_that_never_ends_is_no_file(tmp_path):
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    with pytest.raises(reportgen.InputError, match=r"endless\.json: is no regular file"):
        reportgen.load(tmp_path / "endless.json")


def test_a_policy_and_a_baseline_make_the_rules_of_the_gate(tmp_path):
    tables = [table(60, seed) for seed in range(3)]
    before = reportgen.assess(*tables, metric=["closest_rate"])
    assert [outcome.rule for outcome in before.gate.outcomes] == ["verdict", "measured"]
    before.write(tmp_path / "old.json")
    policy = {"fail_on": "high", "closest_rate": {"min": 100.5}, "worsening": {"closest_rate": 0}}
    found = reportgen.assess(*tables, metric=["closest_rate"], policy=policy, baseline=tmp_path / "old.json")
    assert found.result.settings.fail_on == "high"
    assert [outcome.rule for outcome in found.gate.failing] == ["closest_rate.rate"]
    assert found.result.command.endswith("--baseline old.json --config CONFIG --metric closest_rate --fail-on high")
    assert reportgen.load(written(found, tmp_path)) == found


def written(assessment, folder):
    assessment.write(folder / "new.json")
    return folder / "new.json"


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"policy": {"closest_rat": {"min": 1}}}, "did you mean 'closest_rate'"),
        ({"baseline": "none.json"}, "none.json"),
        ({"fail_on": "low"}, "low can never be met"),
    ],
)
def test_what_the_command_refuses_python_refuses(more, part):
    with pytest.raises(reportgen.InputError, match=part):
        reportgen.assess(table(60, 0), table(60, 1), **more)


def test_a_result_is_read_up_to_a_bound(tmp_path):
    with (tmp_path / "large.json").open("wb") as large:
        large.truncate(10 * 2**30)  # a hole: nothing is stored
    with pytest.raises(reportgen.InputError, match=r"large\.json: larger than 32 MiB"):
        reportgen.load(tmp_path / "large.json")
