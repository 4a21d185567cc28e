"""Cases that users of comparable tools ran into, end to end: each is measured right, or refused in one line.

Those on reading alone stand in tests/read, those on streams and files in tests/test_streams.py and tests/test_cli.py.
"""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import InputError

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
    assert page.count("<bdi>\N{REPLACEMENT CHARACTER}gnp.exe</bdi>") >= 1


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
