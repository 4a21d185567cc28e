"""nn_dist of signals from distances chosen by hand."""

import numpy as np
import pytest

from reportgen.distances import NeighbourDistances
from reportgen.metrics.evidence import LeadDistances
from reportgen.metrics.nn_dist_leads import measure_leads
from reportgen.settings import Settings


def distances(*first):
    first = np.array(first, dtype=float)
    return NeighbourDistances(first, first + 1, np.zeros(len(first), int), np.ones(len(first), int))


def lead(name, to_synthetic, among, of_synthetic, of_holdout=None):
    searches = {
        "original_to_synthetic": distances(*to_synthetic),
        "original_to_original": distances(*among),
        "synthetic_to_original": distances(*of_synthetic),
    }
    if of_holdout is not None:
        searches["holdout_to_original"] = distances(*of_holdout)
    return LeadDistances(name, searches)


# Lead I: score (1 + 2 + 3 + 4 + 5)/5 = 3; baseline (1 + 1 + 2 + 3 + 3)/5 = 2, tau 2; farther than 2: 3 and 5, 2 of 4.
# Lead II: score 1; baseline 4, tau 4; farther than 4: 5, 1 of 4.
ONE = ("I", (1, 2, 3, 4, 5), (1, 1, 2, 3, 3), (1, 2, 3, 5))
TWO = ("II", (1, 1, 1, 1, 1), (4, 4, 4, 4, 4), (4, 4, 4, 5))


def measured(*leads):
    return measure_leads(leads, Settings(resamples=100), np.random.default_rng(0))


def test_each_lead_has_its_score_threshold_and_authenticity():
    scores = measured(lead(*ONE), lead(*TWO)).scores
    assert (scores["lead:I:score"].value, scores["lead:I:score"].reference) == (3, 2)
    assert (scores["lead:I:threshold"].value, scores["lead:I:authenticity"].value) == (2, 0.5)
    assert (scores["lead:II:score"].value, scores["lead:II:score"].reference) == (1, 4)
    assert (scores["lead:II:threshold"].value, scores["lead:II:authenticity"].value) == (4, 0.25)


def test_the_score_and_authenticity_are_plain_means_over_the_leads():
    scores = measured(lead(*ONE), lead(*TWO)).scores
    assert (scores["score"].value, scores["score"].reference) == (2, 3)
    assert scores["authenticity"].value == 0.375
    assert "threshold" not in scores


def test_the_reference_of_authenticity_is_the_holdouts_by_lead_and_on_average():
    """Holdout farther than tau: I 1 of 2, II 0 of 2."""
    scores = measured(lead(*ONE, (2, 3)), lead(*TWO, (4, 4))).scores
    assert scores["lead:I:authenticity"].reference == 0.5
    assert scores["lead:II:authenticity"].reference == 0
    assert scores["authenticity"].reference == 0.25
    assert measured(lead(*ONE)).scores["authenticity"].reference is None


def test_intervals_hold_the_values_and_vanish_where_nothing_varies():
    scores = measured(lead(*ONE), lead(*TWO)).scores
    assert scores["lead:I:score"].low < 3 < scores["lead:I:score"].high
    assert (scores["lead:II:score"].low, scores["lead:II:score"].high) == (1, 1)
    assert scores["score"].low < 2 < scores["score"].high
    assert scores["lead:I:authenticity"].low < 0.5 < scores["lead:I:authenticity"].high


def test_intervals_of_the_mean_over_like_leads_are_not_narrower_than_those_of_one():
    """Records are resampled with all their leads: two equal leads say no more than one."""
    one = ("I", np.arange(40.0), np.arange(40.0), np.arange(40.0))
    scores = measured(lead(*one), lead("II", *one[1:])).scores
    for name in ("score", "authenticity"):
        assert (scores[name].low, scores[name].high) == (scores[f"lead:I:{name}"].low, scores[f"lead:I:{name}"].high)


def test_neither_direction_is_better():
    assert {score.better for score in measured(lead(*ONE)).scores.values()} == {"context"}


def test_no_lead_or_no_second_record_is_no_value():
    assert measured() == "flat_leads"
    assert measured(LeadDistances("I", {})) == "too_few_rows"


def test_every_lead_has_its_distributions_from_twenty_records_on():
    many = ("I", np.arange(20.0), np.arange(20.0), np.arange(3.0))
    assert set(measured(lead(*many)).distributions) == {"lead:I:synthetic", "lead:I:original"}
    assert measured(lead(*ONE)).distributions == {}


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_intervals_do_not_depend_on_how_many_resamples_are_held_at_once(monkeypatch, block):
    whole = measured(lead(*ONE), lead(*TWO)).scores["authenticity"]
    monkeypatch.setattr("reportgen.metrics.nn_dist_leads.BLOCK", block * 10)
    parts = measured(lead(*ONE), lead(*TWO)).scores["authenticity"]
    assert parts.value == whole.value
    assert parts.low <= parts.value <= parts.high
