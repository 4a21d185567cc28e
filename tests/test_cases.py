"""Cases that users of comparable tools ran into, end to end: each is measured right, or refused in one line.

Those on reading alone stand in tests/read, those on streams and files in tests/test_streams.py and tests/test_cli.py.
`WHERE` says of each case of the shared list which tests hold it.
"""

import ast
import html
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import InputError

HERE = "tests/test_cases.py"
KINDS, ALIGN, TABLES = "tests/read/test_kinds.py", "tests/read/test_align.py", "tests/read/test_tables.py"
WHERE = {
    1: [(HERE, "test_scale_and_range_come_from_the_real_rows_only")],
    2: [(HERE, "test_a_constant_table_is_not_measured_and_passes_nothing")],
    3: [(HERE, "test_a_column_without_range_in_the_real_rows_is_left_out_and_named")],
    4: [
        (KINDS, "test_dates_of_many_forms_in_one_column_are_one_kind"),
        (KINDS, "test_dates_that_are_open_or_no_days_are_categories_and_said"),
    ],
    5: [("tests/read/test_memory.py", "test_the_estimate_is_near_the_measured_peaks")],
    6: [(ALIGN, "test_missing_extra_and_renamed_columns_are_named_in_one_line")],
    7: [(HERE, "test_a_column_missing_throughout_one_side_is_named")],
    8: [("tests/test_cli.py", "test_a_metric_that_fails_is_listed_the_others_stand_and_the_gate_is_not_met")],
    9: [(HERE, "test_forty_columns_with_hostile_names_reach_the_page_escaped")],
    10: [
        ("tests/verdict/test_level.py", "test_any_failed_metric_is_named_and_nothing_is_low"),
        ("tests/render/test_checks.py", "test_a_metric_that_the_verdict_needs_and_that_was_not_measured_fails"),
    ],
    11: [(HERE, "test_a_table_identical_to_the_original_is_high_in_any_order")],
    12: [(HERE, "test_a_doubled_original_and_its_copy_read_high_with_a_holdout_and_never_low_without")],
    13: [
        ("tests/verdict/test_intervals.py", "test_no_hit_in_100_only_bounds_the_share_at_three_percent"),
        ("tests/verdict/test_intervals.py", "test_all_hits_mirror_no_hit"),
    ],
    14: [(HERE, "test_three_columns_of_few_values_end_in_seconds")],
    15: [(HERE, "test_zero_is_shown_as_zero_and_not_as_missing")],
    16: [("tests/test_cli.py", "test_two_processes_give_the_same_bytes_of_every_format")],
    17: [(HERE, "test_the_c_locale_and_folders_that_cannot_be_written_to_are_no_obstacle")],
    18: [(HERE, "test_missing_values_on_one_side_only_are_measured")],
    19: [(HERE, "test_an_infinity_names_its_column_and_table")],
    20: [
        (KINDS, "test_words_for_true_and_false_are_boolean_in_any_case"),
        (KINDS, "test_zero_and_one_are_boolean_only_beside_words"),
        (KINDS, "test_truth_values_that_no_other_table_knows_are_refused"),
    ],
    21: [
        (KINDS, "test_integers_and_floats_of_the_same_numbers_are_equal_across_formats"),
        (KINDS, "test_decimal_commas_are_read_and_said"),
        (KINDS, "test_marks_are_missing_in_every_column_and_named"),
        (TABLES, "test_blanks_round_names_and_values_are_stripped"),
    ],
    22: [(HERE, "test_a_few_rows_never_read_low"), (TABLES, "test_what_is_no_table_is_refused_in_one_line")],
    23: [(HERE, "test_mistaken_files_are_named_and_never_low")],
    24: [(HERE, "test_a_category_unseen_in_the_real_rows_does_not_look_like_a_leak")],
    25: [(HERE, "test_tied_categories_share_their_rows_evenly")],
    26: [
        ("tests/test_shared_data.py", "test_a_folder_of_several_tables_is_refused_with_what_to_do"),
        ("tests/test_group.py", "test_dry_run_names_a_key_of_persons_and_says_what_to_do"),
    ],
    27: [
        (TABLES, "test_what_is_no_table_is_refused_in_one_line"),
        ("tests/read/test_other_tools.py", "test_row_numbers_of_pandas_are_an_identifier"),
        (ALIGN, "test_integers_are_identifiers_when_distinct_and_consecutive_or_named_so"),
    ],
    28: [
        (HERE, "test_large_whole_numbers_are_equal_only_if_equal"),
        (KINDS, "test_large_integers_beside_fractions_stay_exact"),
    ],
    29: [
        (TABLES, "test_quoted_line_breaks_windows_line_ends_and_blank_lines_are_read"),
        (TABLES, "test_a_byte_order_mark_is_no_part_of_the_first_name"),
        (TABLES, "test_bytes_outside_windows_1252_are_read_as_latin_1"),
        (TABLES, "test_separators_are_detected"),
        (TABLES, "test_a_ragged_line_is_named_by_its_number_and_not_by_its_cells"),
    ],
    30: [("tests/read/test_memory.py", "test_a_file_of_4_gb_on_a_machine_of_2_gb_is_refused")],
}
"""Case -> the tests that hold it, by file and name."""

HOSTILE = (
    "a\nb", 'q"uo\'te', "com,ma", "<b>bold</b>", "x" * 200, "\u05de\u05de\u05dd \u05e2\u05d1", "\u202egnp.exe",
    "\N{GRINNING FACE}", "petal length (cm)", "trail ", "{{ 7*7 }}", "{% raw %}", "&amp;", "=cmd()", "\x1b[31mred",
)  # fmt: skip


def mixed(rows, seed):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": random.normal(size=rows),
            "age": random.integers(18, 90, rows),
            "town": random.choice(list("abcde"), rows),
            "member": random.random(rows) < 0.4,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 9000, rows), unit="h"),
        }
    )


T, S, H = mixed(120, 1), mixed(120, 2), mixed(120, 3)


def assess(original=T, synthetic=S, holdout=None, **settings):
    return reportgen.assess(original, synthetic, holdout, resamples=100, draws=3, **settings)


@pytest.mark.parametrize(("file", "name"), sorted({test for tests in WHERE.values() for test in tests}))
def test_the_tests_of_the_cases_are_there(file, name):
    tree = ast.parse((Path(__file__).parents[1] / file).read_text(encoding="utf-8"))
    assert name in {part.name for part in tree.body if isinstance(part, ast.FunctionDef)}


def test_every_case_of_the_shared_list_has_its_tests(shared):
    listed = re.findall(r"^\| (\d+) \|", (shared / "cases.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in listed] == list(WHERE)


def codes(assessment):
    return {finding.code for finding in assessment.findings} | {reason.code for reason in assessment.verdict.reasons}


def test_scale_and_range_come_from_the_real_rows_only():
    # Real 0, 10, 3, 4, 1: mean 3.6, population sd sqrt(12.24) = 3.49857. Synthetic 5 is nearest to 4, then to 3.
    nndr = assess(pd.DataFrame({"x": [0, 10, 3, 4, 1]}), pd.DataFrame({"x": [5]})).metrics["nndr"]
    assert nndr.scores["median"].value == pytest.approx(1 / 2, abs=1e-12)


def test_an_original_too_small_to_plant_copies_in_says_so_and_not_that_the_control_does_not_exist():
    found = assess(T.head(3), S, H.head(3))
    assert found.result.controls.detectable.code == "too_few_rows"
    assert "too few original rows" in found.result.controls.detectable.reason
    page = found.rendered("r.html").decode()
    assert "does not plant test leaks" not in page
    assert "is not part of this version. How small" not in page


@pytest.mark.parametrize("synthetic", [1, 2])
def test_a_constant_table_is_not_measured_and_passes_nothing(synthetic):
    constant = pd.DataFrame({"x": [1] * 30})
    found = assess(constant, pd.DataFrame({"x": [synthetic] * 30}), constant)
    assert {metric.code for metric in found.metrics.values() if metric.status == "not_measured"} >= {"no_columns"}
    assert all(metric.status == "not_measured" for metric in found.metrics.values())
    assert found.verdict.level == "inconclusive"


def test_a_column_without_range_in_the_real_rows_is_left_out_and_named():
    found = assess(T.assign(flat=3.0), S.assign(flat=S["x"]), H.assign(flat=3.0))
    column = next(column for column in found.columns if column.name == "flat")
    assert (column.used, column.reason) == (False, "it has the same value in all real rows")


@pytest.mark.parametrize("empty", ["synthetic", "original", "real"])
def test_a_column_missing_throughout_one_side_is_named(empty):
    gone = {"town": None}
    found = assess(
        T.assign(**gone) if empty != "synthetic" else T,
        S.assign(**gone) if empty == "synthetic" else S,
        H.assign(**gone) if empty == "real" else H,
    )
    column = next(column for column in found.columns if column.name == "town")
    assert column.remarks == (f"All its values are missing in the {empty} rows.",)
    assert found.verdict.level != "low"


def test_forty_columns_with_hostile_names_reach_the_page_escaped():
    names = [*HOSTILE, *(f"c{place}" for place in range(40 - len(HOSTILE)))]
    frames = [pd.DataFrame(np.random.default_rng(seed).normal(size=(40, 40)), columns=names) for seed in (1, 2, 3)]
    found = assess(*frames, title="<script>alert(1)</script>", metric=["exact_copies", "closest_rate"])
    assert [column.name for column in found.columns] == [name.strip() for name in names]
    page = found.rendered("x.html").decode()
    assert "<b>bold</b>" not in page
    assert "<script>alert(1)" not in page
    assert "{{ 7*7 }}" in page
    assert "\u202e" not in page  # would turn round what stands behind it, isolated or not
    assert "\\u202egnp.exe" in page


@pytest.mark.parametrize("order", [1, -1])
def test_a_table_identical_to_the_original_is_high_in_any_order(order):
    scores = [assess(T, table, H).scores().set_index(["metric", "score"])["value"] for table in (T, T[::order])]
    assert assess(T, T[::order], H).verdict.level == "high"
    pd.testing.assert_series_equal(*scores)


def test_a_doubled_original_and_its_copy_read_high_with_a_holdout_and_never_low_without():
    doubled = pd.concat([T, T], ignore_index=True)
    assert assess(doubled, doubled, H).verdict.level == "high"
    alone = assess(doubled, doubled)
    assert alone.verdict.level in {"inconclusive", "moderate", "high"}
    assert "original_rows_repeated" in codes(alone)


@pytest.mark.parametrize(
    ("tables", "code"),
    [
        ((T, S, T), "leaky_holdout"),
        ((T, S, S), "holdout_is_synthetic"),
        ((H, T, T), "holdout_is_synthetic"),
        ((T, T, T), "holdout_is_synthetic"),
    ],
)
def test_mistaken_files_are_named_and_never_low(tables, code):
    found = assess(*tables)
    assert code in codes(found)
    assert found.verdict.level != "low"


def test_missing_values_on_one_side_only_are_measured():
    holes = T["x"] > 0
    for tables in ((T, S.assign(x=S["x"].where(S["x"] > 0)), H), (T.assign(x=T["x"].where(holes)), S, H)):
        metric = assess(*tables).metrics["distance_to_closest"]
        assert np.isfinite(metric.scores["median"].value)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinity_names_its_column_and_table(value):
    wrong = S.copy()
    wrong.loc[3, "x"] = value
    with pytest.raises(InputError, match=r"synthetic.*column 'x' holds infinite values"):
        assess(synthetic=wrong)


def test_a_category_unseen_in_the_real_rows_does_not_look_like_a_leak():
    share = assess(T, S.assign(town="elsewhere"), H).metrics["holdout_share"].scores["share"]
    assert share.value == pytest.approx(0.5, abs=0.2)
    assert "unseen_levels" in codes(assess(T, S.assign(town="elsewhere"), H))


def test_tied_categories_share_their_rows_evenly():
    def coarse(seed):
        return pd.DataFrame(np.random.default_rng(seed).choice(list("ab"), (200, 3)), columns=list("xyz"))

    found = assess(coarse(1), coarse(2), coarse(3))
    assert found.metrics["holdout_share"].scores["share"].value == pytest.approx(0.5, abs=0.1)
    assert found.verdict.level in {"inconclusive", "low"}


def test_large_whole_numbers_are_equal_only_if_equal():
    base = 2**60
    original = pd.DataFrame(
        {"x": [base + 2 * (row // 2) for row in range(40)], "y": [row % 5 / 2 for row in range(40)]}
    )
    shifted = original.assign(x=original["x"] + 1)
    assert assess(original, shifted).metrics["exact_copies"].scores["synthetic_rows"].value == 0
    assert assess(original, original).metrics["exact_copies"].scores["synthetic_rows"].value == 1


@pytest.mark.parametrize("rows", [1, 2, 3, 19])
def test_a_few_rows_never_read_low(rows):
    for holdout in (None, H[:rows]):
        found = assess(T[:rows], S[:rows], holdout)
        assert found.verdict.level != "low"
        assert "failed" not in {metric.code for metric in found.metrics.values() if metric.status == "not_measured"}


def test_many_rows_of_one_person_are_left_to_the_user_with_a_key():
    frames = [frame.assign(person=[f"p{row // 4}" for row in range(len(frame))]) for frame in (T, S, H)]
    column = next(column for column in assess(*frames, key="person").columns if column.name == "person")
    assert not column.used


def untested(assessment):
    return [finding for finding in assessment.findings if finding.code == "identifier_reuse_untested"]


def test_reused_names_without_a_holdout_are_a_warning_and_leave_the_level_inconclusive():
    own = {"name": [f"person {row}" for row in range(120)]}
    again = {"name": [f"person {row if row < 30 else row + 1000}" for row in range(120)]}
    found = assess(T.assign(**own), S.assign(**again))
    (finding,) = untested(found)
    assert (finding.severity, finding.count) == ("warning", 30)
    assert finding.text.startswith("30 distinct values of the synthetic column name, of 120, occur in the original. ")
    assert "cannot be told from chance" in finding.text
    assert found.verdict.level == "inconclusive"
    assert "30 distinct values of the synthetic column name" in found.rendered("r.html").decode().split('id="data"')[0]
    held = H.assign(name=[f"person {row + 5000}" for row in range(120)])
    assert not untested(assess(T.assign(**own), S.assign(**again), held))
    assert not untested(assess(T.assign(**own), S.assign(name=held["name"])))


def moments(seed, rows=120):
    """Times of a second within forty years."""
    seconds = np.random.default_rng(seed).integers(0, 40 * 365 * 86_400, rows)
    return pd.Timestamp("1980-01-01") + pd.to_timedelta(seconds, unit="s")


@pytest.mark.parametrize("how", [{"key": "at"}, {"schema": {"columns": {"at": {"kind": "identifier"}}}}])
def test_reused_dates_of_a_key_are_noticed_however_they_are_written(how):
    own, other = moments(1), moments(2).to_series(index=range(120))
    other[:30] = own[:30]
    written = S.assign(at=other.dt.strftime("%d.%m.%Y %H:%M:%S"))
    found = assess(T.assign(at=own), written, H.assign(at=moments(3)), **how)
    assert found.metrics["exact_copies"].scores["column:at:reused"].value == 30 / 120
    assert "identifier_reuse_significant" in codes(found)
    assert found.verdict.level == "high"
    (finding,) = untested(assess(T.assign(at=own), written, **how))
    assert (finding.severity, finding.count) == ("warning", 30)


def test_days_that_recur_by_chance_argue_for_nothing():
    # Two of the synthetic days are original ones and none is a holdout day: names that do so are moderate evidence.
    first, second, third = (
        pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(120) + 120 * n, "D") for n in range(3)
    )
    made = second.to_series(index=range(120))
    made[:2] = first[:2]
    found = assess(T.assign(at=first), S.assign(at=made), H.assign(at=third), key="at")
    assert found.metrics["exact_copies"].scores["column:at:reused"].value == 2 / 120
    assert not {"identifier_reuse", "identifier_reuse_significant"} & codes(found)
    (finding,) = untested(assess(T.assign(at=first), S.assign(at=made), key="at"))
    assert finding.severity == "notice"
    assert "; such values recur by chance. " in finding.text


def test_dates_are_never_detected_as_identifiers():
    found = assess(T.assign(at=moments(1)), S.assign(at=moments(2)), metric=["exact_copies"])
    assert next(column for column in found.columns if column.name == "at").used


def cells(page, row):
    """The texts of the first row of a page's tables that begins with these words."""
    for line in re.findall(r"<tr.*?</tr>", page, re.DOTALL):
        texts = [
            html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[hd].*?</t[hd]>", line, re.DOTALL)
        ]
        if texts and texts[0].startswith(row):
            return texts
    raise AssertionError(row)


def test_zero_is_shown_as_zero_and_not_as_missing():
    found = assess(T, S, H)
    scores = found.metrics["exact_copies"].scores
    assert (scores["synthetic_rows"].value, scores["original_rows"].value) == (0.0, 0.0)
    page = found.rendered("x.html").decode()
    # title, value, interval, reference; nothing is a dash but the ideal range, which counts have not
    assert cells(page, "Exact copies: rows equal to an original row")[1:5] == ["0.00", "0.00 to 3.03", "0.00", "–"]
    assert cells(page, "Exact copies: original rows found again")[1:5] == ["0", "0 to 3.6", "0", "–"]
    assert cells(page, "Leak size: anchored rows, excess")[1:4] == ["0.00", "0.00 to 2.50", "0.00"]
    assert cells(page, "town")[3:6] == ["0.00", "0.00", "0.00"]  # missing in original, synthetic, holdout
    assert "| Exact copies: original rows found again (rows) | 0 | 0 to 3.6 | 0 |" in found.rendered("x.md").decode()
    zeros = T.assign(x=0.0, age=range(120))
    kept = assess(zeros, S.assign(x=0.0, age=range(120)), metric=["exact_copies"])
    column = next(column for column in kept.columns if column.name == "x")
    assert (column.missing.original, column.reason) == (0, "it has the same value in all real rows")


def test_three_columns_of_few_values_end_in_seconds():
    def coarse(seed):
        return pd.DataFrame(np.random.default_rng(seed).integers(0, 3, (2000, 3)), columns=list("xyz"))

    before = time.process_time()
    found = assess(coarse(1), coarse(2), coarse(3))
    assert time.process_time() - before < 60  # of the processor
    assert found.result.search.unique_rows.original == 27
    assert found.verdict.level in {"inconclusive", "low"}


def test_the_c_locale_and_folders_that_cannot_be_written_to_are_no_obstacle(tmp_path):
    for name, table in (("o", T), ("s", S)):
        table.assign(**{"gr\u00f6\u00dfe \u6f22": ["\u00e4", "\u6f22"] * 60}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    words = [sys.executable, "-m", "reportgen", "assess", str(tmp_path / "o.csv"), str(tmp_path / "s.csv"), "-q"]
    words += [
        "-m",
        "exact_copies",
        "--fail-on",
        "never",
        "-o",
        str(tmp_path / "r.html"),
        "-o",
        str(tmp_path / "r.json"),
    ]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REPORTGEN_", "LC_", "LANG"))}
    root = str(Path(__file__).parents[1])
    changed = {"LC_ALL": "C", "HOME": "/proc", "PYTHONPATH": os.pathsep.join([root, kept.get("PYTHONPATH", "")])}
    # In /proc nobody can write, not even root.
    done = subprocess.run(words, cwd="/proc", env=kept | changed, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "gr\u00f6\u00dfe \u6f22" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "gr\u00f6\u00dfe \u6f22" in {column.name for column in reportgen.load(tmp_path / "r.json").columns}
