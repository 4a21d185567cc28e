"""Fewer rows that look for neighbours: the bases stay whole, the numbers say how few looked, and bytes repeat."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import pace
from reportgen.comparisons import Searcher
from reportgen.read.align import align
from reportgen.read.tables import read_table
from reportgen.render.first_page import first_page
from reportgen.settings import Settings
from reportgen.space.asking import LADDER, draw_asking
from reportgen.space.famd import encode
from reportgen.space.known import KnownLists

ROWS, LOOKING = 900, 256


def _tables(seed=0, rows=ROWS, copied=0):
    random = np.random.default_rng(seed)
    tables = [
        pd.DataFrame(random.normal(size=(rows, 5)), columns=list("abcde")).assign(f=random.choice(list("xyz"), rows))
        for _ in range(3)
    ]
    original, synthetic, _ = tables
    synthetic.iloc[:copied, :5] = original.iloc[:copied, :5] + 0.01 * random.normal(size=(copied, 5))
    synthetic.iloc[:copied, 5] = original.iloc[:copied, 5]
    return tables


@pytest.fixture(scope="module", autouse=True)
def _fixed_clock():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield


def _encoded(rows=ROWS):
    tables = [
        read_table(table, side)
        for table, side in zip(_tables(rows=rows), ("original", "synthetic", "holdout"), strict=True)
    ]
    return encode(align(*tables, Settings()), Settings())


@pytest.fixture(scope="module")
def drawn():
    original, synthetic, holdout = _tables()
    return reportgen.assess(original, synthetic, holdout, max_queries=LOOKING)


def test_the_result_tells_how_many_rows_of_how_many_looked(drawn):
    looking = drawn.result.search.looking
    assert (looking.original, looking.synthetic, looking.holdout) == (LOOKING, LOOKING, LOOKING)
    assert drawn.result.settings.max_queries == LOOKING
    assert drawn.result.search.queries == drawn.result.search.certified
    (finding,) = [one for one in drawn.findings if one.code == "queries_drawn_down"]
    assert "256 of 900 original rows, 256 of 900 synthetic rows and 256 of 900 holdout rows" in finding.text
    assert "256 original, 256 synthetic, 256 holdout rows" in drawn.rendered("r.html").decode()


def test_page_1_the_plain_summary_and_markdown_say_that_few_rows_looked(drawn):
    result = drawn.result
    (finding,) = [one for one in drawn.findings if one.code == "queries_drawn_down"]
    assert finding.text in first_page(result).limits
    assert "256 of 900 synthetic rows" in drawn.rendered("r.md").decode()
    plain = drawn.rendered("r.summary.html").decode()
    assert "only 256 of the 900 synthetic rows" in plain
    # More rows in the tables would not help where those that there are did not look.
    assert result.verdict.reasons[0].code == "upper_bound_above_tolerance"
    assert "Assess again with more rows" not in plain
    assert "more rows searched for neighbours" in plain
    assert "too few rows looked for neighbours to exclude" in first_page(result).headline


def test_no_report_says_that_the_leak_test_looked_at_all_rows_where_few_did(drawn):
    page = drawn.rendered("r.html").decode()
    assert "looks at all rows" not in page
    assert "the leak test, which looks at 256 synthetic rows drawn at random" in page


def test_a_number_that_all_rows_are_below_changes_nothing_but_itself(drawn):
    original, synthetic, holdout = _tables()
    whole, more = (
        json.loads(reportgen.assess(original, synthetic, holdout, **given).to_json())
        for given in ({}, {"max_queries": 100 * ROWS})
    )
    assert more["settings"].pop("max_queries") == 100 * ROWS
    assert "max_queries" not in whole["settings"]
    assert whole.pop("command") != more.pop("command")
    assert whole == more
    assert "looking" not in whole["search"]
    fewer = json.loads(drawn.to_json())
    assert fewer["search"]["queries"] < whole["search"]["queries"]


def test_fewer_rows_that_look_make_every_bound_wider(drawn):
    original, synthetic, holdout = _tables()
    whole = reportgen.assess(original, synthetic, holdout)
    for metric, score in (
        ("distance_to_closest", "median"),
        ("closest_distances_ratio", "median"),
        ("closest_rate", "rate"),
        ("nndr", "median"),
        ("nn_dist", "authenticity"),
        ("holdout_share", "share"),
        ("membership_inference", "auc"),
    ):
        all_looked, few_looked = (one.metrics[metric].scores[score] for one in (whole, drawn))
        assert few_looked.high - few_looked.low > 1.3 * (all_looked.high - all_looked.low), metric
        assert few_looked.null_low is None or (
            few_looked.null_high - few_looked.null_low > 1.2 * (all_looked.null_high - all_looked.null_low)
        ), metric
    floor = drawn.metrics["leak_size"].scores["excess"].high
    assert floor >= 3 / LOOKING
    assert drawn.verdict.upper_bound == pytest.approx(100 * floor)
    smallest = [one.result.controls.detectable for one in (whole, drawn)]
    assert smallest[1].share > 1.5 * smallest[0].share
    assert smallest[1].share == pytest.approx(smallest[1].rows / ROWS)
    # Counts of identical rows need no search and stay those of all rows.
    assert drawn.metrics["exact_copies"].scores == whole.metrics["exact_copies"].scores


def test_no_base_is_drawn_down():
    """The rows that look find the very neighbours that they find when all look."""
    random = np.random.default_rng(3)
    encoded = _encoded()
    asking = draw_asking(encoded, LOOKING, random)
    whole, some = Searcher(encoded, 1, pooled=True), Searcher(encoded, 1, pooled=True, asking=asking)
    for base in (encoded.synthetic, encoded.holdout):
        expected, found = whole.two(whole.original, base), some.two(some.original, base)
        np.testing.assert_array_equal(found.first, expected.first[asking.original])
        np.testing.assert_array_equal(found.second_id, expected.second_id[asking.original])
    np.testing.assert_array_equal(some.among_original[1], whole.among_original[1][asking.original])
    pool = some.pool
    found = pool.synthetic(some.synthetic(encoded.synthetic), np.random.default_rng(0), 100)
    pool.reach_for(found)
    known = np.isin(np.arange(len(pool.positions)), pool.real.known)
    assert known[pool.real.sampled].all()
    assert known[found.real[:, 0]].all()
    assert not known.all()
    np.testing.assert_array_equal(pool.real.distances, whole.pool.real.distances[known])
    assert pool.queries < whole.pool.queries + len(encoded.coordinates)


def test_which_real_rows_look_does_not_depend_on_which_are_original():
    original, synthetic, holdout = _tables()
    sampled = []
    for first, last in ((original, holdout), (holdout, original)):
        tables = [read_table(t, side) for t, side in ((first, "original"), (synthetic, "synthetic"), (last, "holdout"))]
        encoded = encode(align(*tables, Settings()), Settings())
        sampled.append(draw_asking(encoded, LOOKING, np.random.default_rng(5)).real)
    np.testing.assert_array_equal(*sampled)


def test_a_leak_is_still_found_and_nothing_is_low_on_too_few_rows():
    original, synthetic, holdout = _tables(copied=90)
    assert reportgen.assess(original, synthetic, holdout, max_queries=LOOKING).verdict.level == "high"
    original, synthetic, holdout = _tables()
    few = reportgen.assess(original, synthetic, holdout, max_queries=100)
    assert few.verdict.level == "inconclusive"  # 3/100 is more than the tolerance of 1 %
    assert "upper_bound_above_tolerance" in {reason.code for reason in few.verdict.reasons}
    assert "that look for neighbours" in " ".join(reason.text for reason in few.verdict.reasons)


def test_time_picks_a_number_and_the_number_alone_makes_the_same_bytes(drawn, monkeypatch):
    monkeypatch.setattr(pace, "number", lambda *_: LOOKING)
    original, synthetic, holdout = _tables()
    timed = reportgen.assess(original, synthetic, holdout, max_minutes=1)
    assert timed.to_json() == drawn.to_json()
    assert timed.result.command.endswith("--max-queries 256")


def test_time_enough_leaves_all_rows_looking():
    original, synthetic, holdout = _tables()
    assert reportgen.assess(original, synthetic, holdout, max_minutes=1000).result.settings.max_queries is None


WORK = pace.Work(rows=100_000, real=200_000, parts=15)


def test_the_number_is_the_largest_power_of_two_that_the_time_is_enough_for():
    assert pace.number(1e-3, 0.0, 1e9, WORK) is None
    picked = [pace.number(1e-3, 0.0, seconds, WORK) for seconds in (0, 60, 120, 240, 480)]
    assert picked[0] == LADDER[0] == 512
    assert picked == sorted(picked)
    assert set(picked) <= set(LADDER)
    assert picked[-1] > picked[1]
    assert pace.number(1e-3, 0.0, 240, WORK) == pace.number(1.01e-3, 0.0, 241, WORK)


def test_attacks_and_preparing_the_bases_take_time_from_the_rows_that_look():
    attacked = replace(WORK, attacked=2000, attacks=17)
    alone, beside = (pace.number(1e-3, 0.0, 240, work) for work in (WORK, attacked))
    assert LADDER[0] < beside < alone
    assert LADDER[0] < pace.number(1e-3, 2.0, 240, WORK) < alone
    # By hand: 17 searches of 2 x 2,000 rows, and of 2 x 200 in the control, 1 ms each.
    assert pace.number(1e-3, 0.0, 240 + 17 * 2 * 2200 * 1e-3, attacked) == alone


@pytest.mark.parametrize(
    ("settings", "attacks"),
    [
        ({}, 6 + 2),
        ({"secret": ("a", "f")}, 2 + 2),
        ({"metric": ("inference", "nndr")}, 6),
        ({"metric": ("linkability",)}, 2),
        ({"metric": ("nndr",)}, 0),
    ],
)
def test_attacks_that_are_not_made_take_no_time(settings, attacks):
    asked = Settings(**settings)
    work = pace.work_of(_encoded(), asked)
    assert work == pace.Work(ROWS, 2 * ROWS, 6, asked.attacks, attacks)


@pytest.mark.parametrize(("rows", "trials"), [(6000, [500, 3000]), (1200, [400])])
def test_two_trials_tell_what_rows_take_from_what_all_of_them_wait_for(monkeypatch, rows, trials):
    now, asked, given = [100.0], [], []

    def nearest(_coordinates, queries, *_, **__):
        asked.append(len(queries))
        now[0] += 0.25 + 0.001 * len(queries)

    monkeypatch.setattr(pace, "nearest", nearest)
    monkeypatch.setattr(pace, "number", lambda *what: given.extend(what))
    encoded = _encoded(rows)
    pace.picker(10, 1, 40.0, lambda: now[0], Settings())(encoded)
    assert asked == trials
    if len(trials) == 2:
        np.testing.assert_allclose(given[:2], (0.001, 0.25))
    else:  # all of it counts as that of rows
        np.testing.assert_allclose(given[:2], (0.001 + 0.25 / trials[0], 0.0))
    np.testing.assert_allclose(given[2], 0.8 * (600 - (now[0] - 40)))


def test_without_time_for_it_there_is_no_longer_trial(monkeypatch):
    now, asked = [0.0], []

    def nearest(_coordinates, queries, *_, **__):
        asked.append(len(queries))
        now[0] += 1.0

    monkeypatch.setattr(pace, "nearest", nearest)
    assert pace.picker(1, 1, 0.0, lambda: now[0], Settings())(_encoded(6000)) == LADDER[0]
    assert asked == [500]


def test_lists_are_found_once_each():
    asked = []

    def find(rows):
        asked.extend(rows.tolist())
        return rows[:, np.newaxis] * 1.0, rows[:, np.newaxis]

    known = KnownLists(find)
    np.testing.assert_array_equal(known.of(np.array([3, 1, 3]))[1][:, 0], [3, 1, 3])
    np.testing.assert_array_equal(known.of(np.array([1, 7]))[0][:, 0], [1, 7])
    assert asked == [1, 3, 7]
    np.testing.assert_array_equal(known.found, [1, 3, 7])


@pytest.mark.parametrize(
    "wrong", [{"max_queries": 0}, {"max_queries": 1.5}, {"max_minutes": 0}, {"max_minutes": float("nan")}]
)
def test_a_number_that_means_nothing_is_refused(wrong):
    original, synthetic, _ = _tables()
    with pytest.raises(reportgen.InputError, match=next(iter(wrong))):
        reportgen.assess(original, synthetic, **wrong)


def test_rows_of_persons_may_look_in_part():
    random = np.random.default_rng(1)
    tables = _tables(rows=600)
    for number, table in enumerate(tables):
        table["who"] = number * 1000 + random.integers(0, 250, len(table))
    original, synthetic, holdout = tables
    found = reportgen.assess(original, synthetic, holdout, group="who", max_queries=200)
    assert found.result.search.looking.original == 200
    assert not [key for key, one in found.metrics.items() if one.status == "not_measured" and one.code == "failed"]
    assert found.verdict.level in {"inconclusive", "low"}


def test_without_a_holdout_half_of_the_rows_that_look_are_asked():
    original, synthetic, _ = _tables()
    found = reportgen.assess(original, synthetic, max_queries=200)
    assert found.result.search.looking.holdout is None
    assert not [key for key, one in found.metrics.items() if one.status == "not_measured" and one.code == "failed"]
    assert "200 of 900 original rows, and 200 of 900 synthetic rows looked" in " ".join(f.text for f in found.findings)
