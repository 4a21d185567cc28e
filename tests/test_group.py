"""The whole job with --group: repeated measurements of persons, end to end."""

import json

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import cli
from reportgen.render.terminal import render_terminal


def visits(persons, random, first=0, within=0.1):
    """Persons of one to nine rows: five measurements that hardly change between visits, and a sex."""
    person = np.repeat(np.arange(persons), random.integers(1, 10, size=persons))
    rows = random.normal(size=(persons, 5))[person] + within * random.normal(size=(len(person), 5))
    frame = pd.DataFrame(rows, columns=list("abcde"))
    frame["sex"] = random.choice(["f", "m"], persons)[person]
    frame.insert(0, "patient", [f"P{first + number:04d}" for number in person])
    return frame


def with_copies(table, original, random, noise):
    """A twentieth of the rows replaced by rows of the original, with noise in the measurements; the ids stay."""
    made, rows = table.copy(), len(table) // 20
    copied = original.iloc[random.choice(len(original), rows, replace=False)]
    made.iloc[:rows, 1:6] = copied.iloc[:, 1:6].to_numpy() + noise * random.normal(size=(rows, 5))
    made.iloc[:rows, 6] = copied.iloc[:, 6].to_numpy()
    return made


RANDOM = np.random.default_rng(7)
T, H, S = (visits(number, RANDOM, first) for number, first in ((80, 0), (70, 1000), (80, 5000)))
NEAR, EXACT = (with_copies(S, T, RANDOM, noise) for noise in (0.05, 0.0))


def assess(original=T, synthetic=S, holdout=H, **settings):
    return reportgen.assess(
        original, synthetic, holdout, **{"group": "patient", "resamples": 100, "draws": 3} | settings
    )


@pytest.fixture(scope="module")
def ideal():
    return assess()


@pytest.fixture(scope="module")
def near():
    return assess(synthetic=NEAR)


def codes(assessment):
    return {finding.code for finding in assessment.findings} | {reason.code for reason in assessment.verdict.reasons}


def test_ideal_data_show_no_leak_and_every_metric_is_measured(ideal):
    assert ideal.verdict.level in ("low", "inconclusive")
    assert ideal.metrics["leak_test"].scores["p_value"].value > 0.05
    missing = {metric.code for metric in ideal.metrics.values() if metric.status == "not_measured"}
    assert missing == {"not_in_this_version"}
    assert ideal.result.controls.detectable.rows is not None


@pytest.mark.parametrize("synthetic", [NEAR, EXACT], ids=["near", "exact"])
def test_copied_rows_of_persons_read_high(synthetic):
    found = assess(synthetic=synthetic)
    assert found.verdict.level == "high"
    assert found.metrics["leak_test"].scores["p_value"].value <= 0.01


def test_near_copies_among_nearly_equal_rows_of_one_person_are_anchored_only_by_person(near):
    by_row, copies = assess(synthetic=NEAR, group=None, key=["patient"], metric=["leak_size"]), len(NEAR) // 20
    assert near.metrics["leak_size"].scores["anchored_original"].value >= copies
    assert by_row.metrics["leak_size"].scores["anchored_original"].value < copies / 2


def test_exact_copies_read_high_without_a_holdout_and_repeated_rows_of_one_person_explain_none():
    doubled = pd.concat([T, T], ignore_index=True)  # every person repeats every row
    found = assess(doubled, EXACT, None, metric=["exact_copies", "closer_than_people"])
    assert found.verdict.level == "high"
    assert "exact_copies_above_tolerance" in codes(found)
    assert "original_rows_repeated" not in codes(found)


def test_persons_are_counted_in_the_result(near):
    result = near.result
    assert (result.inputs.original.persons, result.inputs.holdout.persons, result.inputs.synthetic.persons) == (
        80,
        70,
        None,
    )
    assert (result.holdout.persons, result.holdout.shared_persons) == (70, 0)
    assert result.settings.group == "patient"
    assert 0 < near.metrics["leak_test"].scores["original_rows"].value <= 80


def test_a_holdout_that_shares_a_person_is_leaky(near):
    keys = ["exact_copies", "leak_test", "leak_size"]
    found = assess(holdout=pd.concat([H, T[T.patient == T.patient[0]]]), metric=keys)
    assert found.verdict.level == "inconclusive"
    reason = next(reason for reason in found.verdict.reasons if reason.code == "leaky_holdout")
    assert "1 person has rows in the original as well as in the holdout, of 71" in reason.text
    assert found.holdout.shared_persons == 1
    assert "leaky_holdout" not in codes(near)


def test_persons_of_twice_as_many_rows_are_no_measure_for_the_others(ideal):
    twice = pd.concat([H, H.assign(a=H.a + 0.01)])
    found = assess(holdout=twice, metric=["exact_copies", "leak_size"])
    assert found.verdict.level == "inconclusive"
    reason = next(reason for reason in found.verdict.reasons if reason.code == "persons_differ")
    assert "drawn and followed like those of the original" in reason.text
    assert "persons_differ" not in codes(ideal)


def uneven():
    """Two persons of thirty rows against thirty of two, and rows of nobody: nothing leaks."""
    random = np.random.default_rng(5)
    few, many = (
        pd.DataFrame(np.repeat(random.normal(size=(persons, 3)), rows, axis=0), columns=list("abc"))
        for persons, rows in ((2, 30), (30, 2))
    )
    few, many = (table + 0.3 * random.normal(size=table.shape) for table in (few, many))
    made = pd.DataFrame(random.normal(size=(60, 3)), columns=list("abc")).assign(patient=range(900, 960))
    return few.assign(patient=np.repeat([1, 2], 30)), made, many.assign(patient=100 + np.repeat(range(30), 2))


def test_persons_of_many_rows_against_persons_of_few_never_read_high_by_their_labels():
    few, made, many = uneven()
    near = many.assign(patient=range(900, 960)) + 0.001  # rows of the persons with few rows, who are the original
    for original, synthetic, holdout in ((few, made, many), (many, made, few), (many, near, few)):
        found = assess(original, synthetic, holdout)
        assert "persons_differ" in codes(found)
        assert found.verdict.level in {"moderate", "inconclusive"}
        assert {metric.verdict for metric in found.metrics.values() if metric.status == "measured"}.isdisjoint({"high"})


def test_copies_read_high_whoever_has_how_many_rows():
    few, _, many = uneven()
    found = assess(few, few.assign(patient=range(900, 960)), many)
    assert found.verdict.level == "high"
    assert found.verdict.reasons[0].code == "exact_copies_above_tolerance"
    assert found.metrics["exact_copies"].verdict == "high"
    assert found.metrics["leak_test"].verdict != "high"


def test_what_persons_leave_out_is_said_in_the_result(near, ideal):
    for found in (near, ideal):
        for key in ("distance_to_closest", "closest_distances_ratio", "closest_rate", "nndr", "nn_dist"):
            assert "no_range_for_persons" in found.metrics[key].notes
            assert all(score.null_low is None for score in found.metrics[key].scores.values())
        assert "no_range_for_persons" not in found.metrics["leak_test"].notes
    assert "regions_not_sought" in codes(near)
    assert "regions_not_sought" not in codes(ideal)
    assert "belong to persons, with several alike each" in near.rendered("r.html").decode()
    assert "no_range_for_persons" not in assess(holdout=None, metric=["nndr"]).metrics["nndr"].notes


def test_files_that_share_every_person_have_nothing_to_permute():
    renamed = H.assign(patient=[f"P{int(name[1:]) - 1000:04d}" for name in H.patient])
    found = assess(holdout=renamed, metric=["leak_test", "leak_size", "holdout_share", "membership_inference"])
    for key in ("leak_test", "holdout_share", "membership_inference"):
        assert found.metrics[key].code == "shared_persons"
    assert found.verdict.level == "inconclusive"
    copied = assess(synthetic=EXACT, holdout=renamed, metric=["exact_copies"])
    assert copied.verdict.level == "high"  # copies stand without the test


def test_fewer_than_twenty_persons_carry_no_verdict_however_many_rows_they_have():
    some = T[T.patient.isin(T.patient.unique()[:19])]
    assert len(some) > 60
    found = assess(original=some, metric=["exact_copies", "nndr"])
    reason = next(reason for reason in found.verdict.reasons if reason.code == "too_few_rows")
    assert "rows of only 19 persons" in reason.text
    assert found.metrics["nndr"].distributions == {}


def test_neither_the_order_of_rows_nor_the_names_of_persons_change_a_number(ideal):
    def changed(table, seed):
        names = dict(zip(sorted(table.patient.unique()), np.random.default_rng(3).permutation(9000), strict=False))
        return table.assign(patient=[f"x{names[name] + seed * 10_000}" for name in table.patient]).sample(
            frac=1, random_state=seed
        )

    again = assess(changed(T, 1), S.sample(frac=1, random_state=2), changed(H, 3))
    pd.testing.assert_frame_equal(
        ideal.scores().drop(index=_reuse(ideal)).reset_index(drop=True),
        again.scores().drop(index=_reuse(again)).reset_index(drop=True),
    )


def _reuse(assessment):
    scores = assessment.scores()
    return scores.index[scores.score.str.startswith("column:")]


def brute_force(rows, persons, base, owners):
    """The closest row of each of the two closest other persons, in float64: the first distance and the ratio."""
    distances = np.sqrt(((rows[:, np.newaxis] - base[np.newaxis]) ** 2).sum(axis=2))
    names = np.unique(owners)
    distances = np.stack([distances[:, owners == name].min(axis=1) for name in names], axis=1)
    distances[persons[:, np.newaxis] == names] = np.inf
    distances.sort(axis=1)
    return distances[:, 0], distances[:, 0] / distances[:, 1]


def test_distances_among_original_rows_leave_out_those_of_the_same_person():
    numbers = [table.drop(columns="sex") for table in (T, S, H)]
    found = assess(*numbers, projection="none", metric=["nn_dist", "nndr"])
    rows, made, held = (table[list("abcde")].to_numpy() for table in numbers)
    owners = T.patient.to_numpy()
    first, ratio = brute_force(rows, owners, rows, owners)
    nn_dist, nndr = (found.metrics[key].scores for key in ("nn_dist", "nndr"))
    assert nn_dist["threshold"].value == pytest.approx(np.median(first), rel=1e-12)
    assert nn_dist["score"].reference == pytest.approx(first.mean(), rel=1e-12)
    assert nndr["median"].reference == pytest.approx(np.median(ratio), rel=1e-12)
    assert nndr["p5"].reference == pytest.approx(np.quantile(ratio, 0.05), rel=1e-12)
    assert nndr["share_below"].value == np.mean(brute_force(made, np.full(len(made), ""), rows, owners)[1] < 0.5)
    assert nndr["holdout_share_below"].value == np.mean(brute_force(held, H.patient.to_numpy(), rows, owners)[1] < 0.5)


def test_reused_names_of_persons_are_noticed():
    named = S.assign(patient=np.resize(T.patient.unique()[:40], len(S)))
    found = assess(synthetic=named, metric=["exact_copies"])
    assert found.verdict.level == "high"
    assert "identifier_reuse_significant" in codes(found)


def test_the_report_speaks_of_persons_and_names_the_column(near):
    page = near.rendered("r.html").decode()
    for words in (
        "of 80 persons that the generator was trained on",
        "of 70 persons that, by the user",
        "A synthetic table has no persons",
        "column patient names the person of each row",
        "original persons are behind it",
        "it names the person that a row belongs to (--group)",
        "paired bootstrap over the original persons",
    ):
        assert words in page, words
    assert "count as separate" not in page
    assert reportgen.api.parse(near.to_json().encode(), "r.json").result == near.result


def test_without_group_a_key_of_persons_is_named_on_page_one_on_the_terminal_and_in_the_findings():
    found = assess(group=None, key=["patient"], metric=["exact_copies"])
    finding = next(finding for finding in found.findings if finding.code == "person_key")
    assert finding.severity == "warning"
    assert "Column patient looks like a key of persons" in finding.text
    assert "--group patient" in finding.text
    assert "Column patient looks like a key of persons" in " ".join(render_terminal(found.result).split())
    first_page = found.rendered("r.html").decode().split('id="')
    assert any("Column patient looks like a key of persons" in part for part in first_page[:8])


def test_with_group_no_key_is_named(ideal):
    assert "person_key" not in codes(ideal)
    assert "looks like" not in render_terminal(ideal.result)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, table in (("t", T), ("s", S), ("h", H)):
        table.to_csv(f"{name}.csv", index=False)
    return ["assess", "t.csv", "s.csv", "--holdout", "h.csv", "-q", "-m", "exact_copies", "--fail-on", "never"]


def run(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    return stop.value.code, capsys.readouterr()


@pytest.mark.parametrize("how", ["option", "variable", "file"])
def test_the_column_is_named_by_option_variable_or_file(files, how, monkeypatch, tmp_path, capsys):
    if how == "variable":
        monkeypatch.setenv("REPORTGEN_GROUP", "patient")
    if how == "file":
        (tmp_path / "reportgen.toml").write_text('group = "patient"\n', encoding="utf-8")
    code, out = run([*files, "-o", "-", *(["--group", "patient"] if how == "option" else [])], capsys)
    result = json.loads(out.out)
    assert (code, result["settings"]["group"]) == (0, "patient")
    assert "--group patient" in result["command"]
    assert result["inputs"]["original"]["persons"] == 80


def test_dry_run_names_a_key_of_persons_and_says_what_to_do(files, capsys):
    code, out = run([*files, "--dry-run"], capsys)
    (line,) = [line for line in out.out.splitlines() if line.startswith("'patient'")]
    assert code == 0
    assert "Looks like a key of persons" in line
    assert "--group" in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--group", "nobody"], "--group: there is no column 'nobody'"),
        (["--group", "patient", "--key", "patient"], "named by both --group and --key"),
        (["--group", ""], "--group: there is no column"),
    ],
)
def test_a_wrong_column_is_refused_in_one_line(files, options, words, capsys):
    code, out = run([*files, *options], capsys)
    assert code == 2
    assert words in out.err
    assert len(out.err.splitlines()) == 1


def test_signals_have_no_column_of_persons():
    with pytest.raises(reportgen.InputError, match="--group: belongs to tables"):
        reportgen.assess(np.ones((5, 2, 9)), np.ones((5, 2, 9)), group="patient")


def repeated(persons, rows, random, first=0):
    """Persons of so many nearly identical rows each, in one population."""
    centres = np.repeat(random.normal(size=(persons, 4)), rows, axis=0)
    frame = pd.DataFrame(centres + 0.02 * random.normal(size=centres.shape), columns=list("abcd"))
    frame.insert(0, "patient", np.repeat(np.arange(persons), rows) + first)
    return frame


@pytest.fixture(scope="module")
def repeats():
    """Tables of 480 rows without a leak: real ones of 120 persons, a synthetic one of independent rows."""
    found = []
    for seed in (1, 2, 3):
        random = np.random.default_rng(seed)
        tables = repeated(120, 4, random), repeated(480, 1, random, 5000), repeated(120, 4, random, 1000)
        keys = ["distance_to_closest", "closest_distances_ratio", "closest_rate", "nndr"]
        found.append(assess(*tables, metric=keys, draws=10))
    return found


def test_independent_rows_are_no_closer_than_persons_of_many_rows(repeats):
    medians = [one.metrics["distance_to_closest"].scores["median"].value for one in repeats]
    assert all(85 <= median <= 118 for median in medians), medians
    ratios = [one.metrics["closest_distances_ratio"].scores["median"].value for one in repeats]
    assert all(85 <= ratio <= 118 for ratio in ratios), ratios
    rates = [one.metrics["closest_rate"].scores["rate"] for one in repeats]
    assert abs(np.mean([rate.value - rate.reference for rate in rates])) < 1.5
    assert all((one.holdout.base_rows, one.holdout.draws) == (120, 10) for one in repeats)
    finding = next(finding for finding in repeats[0].findings if finding.code == "bases_drawn_down")
    assert "one row of each person" in finding.text


def test_the_second_neighbour_among_original_rows_is_another_person(repeats):
    # By rows nearly every ratio would be near 1, since the second row of the same person is as close as the first.
    for one in repeats:
        scores = one.metrics["nndr"].scores
        assert 0.7 < scores["median"].value < 0.9
        assert scores["median"].reference == pytest.approx(scores["median"].value, abs=0.06)
        assert scores["holdout_median"].value == pytest.approx(scores["median"].value, abs=0.06)
