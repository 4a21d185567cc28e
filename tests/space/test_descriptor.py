"""The descriptor of a record: its seven features by hand, their scaling, and what is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from reportgen.errors import InputError
from reportgen.read.partition import Source
from reportgen.read.signals import signals
from reportgen.settings import Settings
from reportgen.space.descriptor import FEATURES, describe, encode_signals, features, lead_coordinates

WAVES = npst.arrays(np.float64, (5, 9), elements=st.floats(-10, 10, width=32))


def described(original, synthetic, holdout=None, **settings):
    inputs = [
        (original, "original"),
        (synthetic, "synthetic"),
        *([(holdout, "holdout")] if holdout is not None else []),
    ]
    return describe([signals(array, Source("array", None), role) for array, role in inputs], Settings(**settings))


def waves(records=6, leads=2, samples=8, seed=0):
    return np.random.default_rng(seed).normal(size=(records, leads, samples))


def test_the_seven_features_of_a_short_signal():
    """x = 1, -1, 3, 1: mean 1; c = 0, -2, 2, 0; sum of c^2 8; sum of x^2 12; sign + - + +: two changes by 2.

    Crossings 4/(2*3); lag: 0*(-2) + (-2)*2 + 2*0 = -4, over 8 + 1e-9.
    """
    found = features(np.array([[1.0, -1.0, 3.0, 1.0]]))[0]
    assert found == pytest.approx([1, np.sqrt(2), np.sqrt(3), 3, 3, 2 / 3, -4 / (8 + 1e-9)], rel=1e-15)


def test_a_touch_of_zero_is_half_a_crossing():
    """Signs 1, 0, 1: |difference of signs| 1 + 1, over 2*2."""
    assert features(np.array([[1.0, 0.0, 2.0]]))[0, 5] == 0.5


def test_crossings_are_those_of_the_signal_not_of_its_deviations():
    assert features(np.array([[1.0, 2.0, 1.0, 2.0]]))[0, 5] == 0


def test_a_flat_signal_has_its_value_and_no_deviation_however_sums_round():
    found = features(np.full((1, 1001), 0.1))[0]
    assert found.tolist() == [0.1, 0, 0.1, 0.1, 0.1**2, 0, 0]


def test_one_sample_has_no_crossing_and_no_lag():
    assert features(np.array([[-3.0]]))[0].tolist() == [-3, 0, 3, 3, 9, 0, 0]


@given(WAVES)
def test_a_record_has_the_same_features_alone_and_among_others(lead):
    together = features(lead)
    for place, record in enumerate(lead):
        assert (features(record[np.newaxis]) == together[place]).all()


def test_features_are_divided_by_their_deviation_over_the_original_alone_and_not_centred():
    original, synthetic, holdout = waves(6), 3 * waves(5, seed=1), 7 * waves(4, seed=2)
    found = described(original, synthetic, holdout)
    raw = features(original[:, 1])
    expected = features(synthetic[:, 1]) / raw.std(axis=0)
    columns = [f"2: {name}" for name in FEATURES]
    assert found.synthetic.frame[columns].to_numpy() == pytest.approx(expected, rel=1e-12)
    assert found.original.frame[columns].to_numpy().std(axis=0) == pytest.approx(np.ones(7))


def test_the_scale_does_not_depend_on_the_order_of_records():
    original, synthetic = waves(50), waves(4, seed=1)
    one, other = described(original, synthetic), described(original[::-1], synthetic)
    assert one.synthetic.frame.equals(other.synthetic.frame)


def test_a_feature_without_deviation_is_left_out_and_the_lead_is_not_flat():
    """All values are positive, so there is no crossing in any original record."""
    found = described(waves() + 100, waves(seed=1) + 100)
    left_out = [column for column in found.columns if not column.used]
    assert [column.name for column in left_out] == ["1: zero-crossing rate", "2: zero-crossing rate"]
    assert left_out[0].left_out == "it is the same in all original records"
    assert [lead.flat for lead in found.leads] == [False, False]


@pytest.mark.parametrize("levels", [0.0, 0.1, np.linspace(0.1, 0.7, 6)[:, np.newaxis]])
def test_a_lead_of_flat_lines_is_flat_and_named(levels):
    original = waves()
    original[:, 1] = levels
    found = described(original, waves(seed=1), lead_names=("I", "aVF"))
    assert [lead.flat for lead in found.leads] == [False, True]
    assert "Lead 'aVF' is flat in every original record" in found.original.remarks[0]
    assert set(lead_coordinates(found, encode_signals(found, Settings()))) == {"I"}


def test_a_lead_that_is_the_same_wave_in_every_record_is_flat_too():
    original = waves()
    original[:, 0] = original[0, 0]
    assert [lead.flat for lead in described(original, waves(seed=1)).leads] == [True, False]


def test_a_lead_that_is_flat_in_the_synthetic_records_alone_is_named_and_measured():
    synthetic = waves(seed=1)
    synthetic[:, 0] = 0
    found = described(waves(), synthetic)
    assert not any(lead.flat for lead in found.leads)
    assert found.synthetic.remarks == ("Lead '1' is flat in every record of synthetic array, but not in the original.",)


def test_another_length_is_noted_and_measured():
    found = described(waves(samples=8), waves(samples=12, seed=1))
    assert "have 12 samples, those of original array 8" in found.synthetic.remarks[0]
    assert (found.original.samples, found.synthetic.samples) == (8, 12)
    assert len(found.synthetic.frame) == 6


def test_samples_whose_squares_overflow_are_refused():
    with pytest.raises(InputError, match="synthetic array: holds samples so large"):
        described(waves(), waves() * 1e200)


@pytest.mark.parametrize("scale", [1e-150, 1e140])
def test_small_and_large_units_neither_vanish_nor_overflow(scale):
    found = described(waves() * scale, waves(seed=1) * scale)
    assert np.isfinite(found.synthetic.frame.to_numpy()).all()
    assert {"1: mean", "1: mean square"} <= {column.name for column in found.used}


def test_the_joint_space_holds_the_features_as_they_are_and_the_leads_their_part_of_it():
    found = described(waves(), waves(seed=1))
    encoded = encode_signals(found, Settings())
    assert (encoded.dimensions, encoded.fitted_on, encoded.inertia) == (14, "original", 1.0)
    frame = found.synthetic.frame
    assert (encoded.coordinates[encoded.synthetic] == frame[sorted(frame.columns)].to_numpy()).all()
    own = lead_coordinates(found, encoded)
    columns = sorted(found.leads[1].columns)
    assert (own["2"][encoded.synthetic] == frame[columns].to_numpy()).all()
