"""Regions: a leak in one part of the table is named, one all over it and no leak at all name nothing."""

import math

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.read.bands import Region
from reportgen.regions import Anchors, concentrations


def people(rows, random):
    return pd.DataFrame(
        {
            "age": np.round(random.normal(45, 15, rows), 1),
            "weight": random.normal(75, 12, rows),
            "pay": random.lognormal(8, 0.5, rows),
            "job": random.choice(list("abcdefgh"), rows),
            "sex": random.choice(["f", "m"], rows),
        }
    )


def leaking(where, rows=20, seed=0, size=500):
    """Original, synthetic and holdout rows; near copies of original rows where the condition holds."""
    random = np.random.default_rng(seed)
    original, synthetic, holdout = (people(size, random) for _ in range(3))
    copies = original[where(original)].sample(rows, random_state=seed).copy()
    for name in copies.select_dtypes("number"):
        copies[name] += 0.03 * original[name].std() * random.normal(size=rows)
    synthetic.iloc[:rows] = copies.to_numpy()
    return original, synthetic.astype(original.dtypes.to_dict()), holdout


def named(*tables):
    found = reportgen.assess(*tables, resamples=100, metric=["exact_copies", "leak_test", "leak_size"])
    return found, [finding for finding in found.result.findings if finding.region is not None]


def test_a_leak_in_one_category_is_named():
    found, regions = named(*leaking(lambda table: table["job"] == "c"))
    assert found.verdict.level == "high"
    assert [finding.region for finding in regions] == ["job is 'c'"]
    (finding,) = regions
    assert finding.code == "anchored_rows_concentrate"
    assert finding.count >= 15
    assert finding.expected < 5
    assert finding.p_value < 0.001
    assert "where job is 'c'" in finding.text


def test_a_leak_in_one_band_is_named_by_rounded_ends():
    _, regions = named(*leaking(lambda table: table["age"] > 65))
    assert [finding.region for finding in regions] == ["age is 65 or more"]


def test_a_leak_all_over_the_table_names_no_part_of_it():
    for seed in range(3):
        found, regions = named(*leaking(lambda table: table["age"] > -1000, rows=40, seed=seed))
        assert found.verdict.level == "high"
        assert regions == []


def test_tables_without_a_leak_name_nothing():
    random = np.random.default_rng(5)
    found, regions = named(*(people(500, random) for _ in range(3)))
    assert found.verdict.level not in ("moderate", "high")
    assert regions == []


def test_without_a_true_holdout_nothing_is_named():
    original, synthetic, _ = leaking(lambda table: table["job"] == "c")
    assert named(original, synthetic)[1] == []


def test_the_order_of_the_rows_changes_nothing():
    tables = leaking(lambda table: table["job"] == "c")
    shuffled = [table.sample(frac=1, random_state=4) for table in tables]
    assert named(*tables)[1] == named(*shuffled)[1]


def test_a_hostile_category_is_named_on_one_line():
    original, synthetic, holdout = leaking(lambda table: table["job"] == "c")
    tables = [table.replace({"job": {"c": "<script>\n\u202e"}}) for table in (original, synthetic, holdout)]
    _, (finding,) = named(*tables)
    assert finding.region == r"job is '<script>\n\u202e'"
    assert "\n" not in finding.text


def test_a_rare_category_is_never_named():
    original, synthetic, holdout = leaking(lambda table: table["job"] == "c")
    rare = original.index[original["job"] == "c"][:4]
    original.loc[rare, "job"] = "onlyfour"
    synthetic.iloc[:100] = original.loc[rare].sample(100, replace=True, random_state=0).to_numpy()
    found, _ = named(original, synthetic.astype(original.dtypes.to_dict()), holdout)
    assert "onlyfour" not in found.to_json()


def region(*rows, column="job", name="x"):
    return Region(column, f"{column} is {name}", np.array(rows, dtype=bool))


def rows(original, sat, single=None, claims=None):
    """Real rows of which the first `original` are original ones; `sat` lists those that are sat upon."""
    number = 2 * original
    each = np.zeros(number)
    each[list(sat)] = 1.0 if claims is None else claims
    return Anchors(np.arange(number) < original, np.ones(number, bool) if single is None else single, each)


INSIDE = np.arange(200) % 100 < 20
"""20 of 100 original and 20 of 100 holdout rows."""


def test_counts_and_p_by_hand():
    (found,) = concentrations([region(*INSIDE)], rows(100, range(12)))
    assert (found.rows, found.everywhere) == (12, 12)
    assert found.expected == pytest.approx(2.4)  # 12 x 20/100
    # In the region by chance: C(20,12)/C(100,12) = 1.2e-10; all 12 original by chance: C(100,12)/C(200,12) = 1.7e-4.
    assert found.p_value == pytest.approx(math.comb(100, 12) / math.comb(200, 12), rel=1e-9)


def test_a_part_whose_holdout_rows_are_sat_upon_alike_is_not_named():
    assert concentrations([region(*INSIDE)], rows(100, [*range(12), *range(100, 112)])) == []


def test_a_part_in_which_only_as_many_as_elsewhere_are_sat_upon_is_not_named():
    assert concentrations([region(*INSIDE)], rows(100, range(0, 100, 2))) == []


def test_four_rows_are_too_few_and_so_are_four_claims():
    few = Region("job", "job is x", np.arange(2000) % 1000 < 4)
    assert concentrations([few], rows(1000, range(4))) == []
    some = Region("job", "job is x", np.arange(2000) % 1000 < 12)
    assert concentrations([some], rows(1000, range(12)))
    assert concentrations([some], rows(1000, range(12), claims=0.4)) == []  # 4.8 synthetic rows, split over ties


def test_rows_with_a_twin_are_left_out():
    single = np.ones(200, bool)
    single[:12] = False
    assert concentrations([region(*INSIDE)], rows(100, range(12), single)) == []


def test_of_one_column_only_the_clearest_part_is_named():
    wider = np.arange(200) % 100 < 40
    regions = [region(*wider, name="wider"), region(*INSIDE), region(*INSIDE, column="sex")]
    assert [one.name for one in concentrations(regions, rows(100, range(15)))] == ["job is x", "sex is x"]


def test_without_category_names_a_region_is_a_category_that_is_not_named():
    tables = leaking(lambda table: table["job"] == "c")
    tables = [table.replace({"job": {"c": "Rarewick"}}) for table in tables]
    found = reportgen.assess(*tables, resamples=100, metric=["leak_test", "leak_size"], no_category_names=True)
    (finding,) = [finding for finding in found.result.findings if finding.region is not None]
    assert finding.region == "job is one category, which is not named"
    assert "Rarewick" not in found.to_json() + found.rendered("x.html").decode()
