"""Sets of signals: what is read, what is refused, and which records are the same."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.groups import identical_rows, near_twins
from reportgen.read.partition import Source
from reportgen.read.signals import Signals, all_signals, content_sha256, lead_names, recordings, signals
from reportgen.read.tables import read_table
from reportgen.settings import Settings


def waves(records=4, leads=2, samples=6, seed=0):
    return np.random.default_rng(seed).normal(size=(records, leads, samples))


def from_memory(array, role="original"):
    return signals(array, Source("array", None), role)


def refusal(array):
    with pytest.raises(InputError) as caught:
        from_memory(array)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_three_dimensions_are_signals_from_memory_npy_and_npz(tmp_path):
    array = waves()
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "one.npz", only=array)
    np.savez(tmp_path / "two.npz", first=array, second=array[:2])
    for given in (array, tmp_path / "a.npy", tmp_path / "one.npz", f"{tmp_path / 'two.npz'}:first"):
        found = read_table(given, "original")
        assert isinstance(found, Signals)
        assert (found.values == array).all()
    assert len(read_table(f"{tmp_path / 'two.npz'}:second", "original").values) == 2


def test_several_arrays_want_a_key_and_a_key_has_to_exist(tmp_path):
    np.savez(tmp_path / "two.npz", first=waves(), second=waves())
    with pytest.raises(InputError, match=r"several arrays; give two\.npz:KEY, KEY one of 'first', 'second'"):
        read_table(tmp_path / "two.npz", "original")
    with pytest.raises(InputError, match=r"there is no array 'third'; give two\.npz:KEY"):
        read_table(f"{tmp_path / 'two.npz'}:third", "original")


def test_pickled_signals_are_refused_unopened(tmp_path):
    pickled = np.empty((2, 1, 3), dtype=object)
    np.save(tmp_path / "a.npy", pickled, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x=pickled)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(InputError, match="pickled objects are refused"):
            read_table(tmp_path / name, "original")


@pytest.mark.parametrize("dtype", [object, bool, complex, "datetime64[s]", np.longdouble])
def test_signals_of_anything_but_plain_numbers_are_refused(dtype):
    assert "cannot be compared" in refusal(np.zeros((2, 1, 3)).astype(dtype))


@pytest.mark.parametrize(
    ("shape", "what"), [((0, 2, 3), "no record"), ((2, 0, 3), "no lead"), ((2, 3, 0), "no sample")]
)
def test_empty_sets_are_refused_by_what_is_missing(shape, what):
    assert what in refusal(np.zeros(shape))


def test_records_with_missing_samples_are_counted_not_samples():
    array = waves(5)
    array[1, :, 2:4] = np.nan
    array[3, 0, 0] = np.nan
    assert "2 of 5 records hold missing samples (NaN)" in refusal(array)


def test_one_record_with_an_infinite_sample_is_counted():
    array = waves(5)
    array[4, 1, 1] = -np.inf
    assert "1 of 5 records holds infinite samples" in refusal(array)


def test_integers_that_float64_would_round_are_refused():
    array = np.ones((3, 1, 4), dtype=np.int64)
    array[2, 0, 1] = 2**53 + 1
    assert "1 of 3 records holds integers beyond 2^53" in refusal(array)


def together(original, synthetic, holdout=None, **settings):
    inputs = [from_memory(original), from_memory(synthetic, "synthetic")]
    if holdout is not None:
        inputs.append(from_memory(holdout, "holdout"))
    return all_signals(inputs, Settings(**settings))


def test_leads_have_to_be_as_many_in_every_set():
    with pytest.raises(InputError, match="holdout array has 1 lead and original array 2 leads"):
        together(waves(), waves(), waves(leads=1))


def test_a_table_cannot_be_compared_with_signals():
    table = read_table(pd.DataFrame({"a": [1, 2]}), "synthetic")
    with pytest.raises(InputError, match="give all inputs in one form"):
        all_signals([from_memory(waves()), table], Settings())


def test_settings_of_tables_are_refused_for_signals():
    for name, value in (("key", ("a",)), ("ignore", ("a",)), ("numeric", ("a",)), ("components", 3)):
        with pytest.raises(InputError, match=f"--{name}: belongs to tables"):
            together(waves(), waves(), **{name: value})


def test_settings_of_signals_are_refused_for_tables():
    tables = [read_table(pd.DataFrame({"a": [1, 2]}), role) for role in ("original", "synthetic")]
    assert all_signals(tables, Settings()) is None
    for name, value in (("lead_names", ("I",)), ("sampling_rate", 360.0)):
        with pytest.raises(InputError, match=f"--{name.replace('_', '-')}: belongs to signals"):
            all_signals(tables, Settings(**{name: value}))


def test_leads_are_numbered_where_no_name_was_given():
    assert lead_names([from_memory(waves(leads=3))], Settings()) == ("1", "2", "3")
    assert lead_names([from_memory(waves())], Settings(lead_names=("I", "V1"))) == ("I", "V1")


def test_as_many_names_as_leads_are_needed():
    with pytest.raises(InputError, match="3 names for 2 leads of original array; give one name a lead"):
        lead_names([from_memory(waves())], Settings(lead_names=("I", "II", "V1")))


def ids(*sets):
    roles = ("original", "synthetic", "holdout")
    return identical_rows(recordings([from_memory(one, role) for one, role in zip(sets, roles, strict=False)]))


def test_records_are_the_same_by_their_samples_and_not_by_their_features():
    """A record played backwards has the same seven features: only the first synthetic record is a copy."""
    original = waves(3)
    found = ids(original, np.stack([original[1], original[1, :, ::-1]]))
    assert found.synthetic[0] == found.original[1]
    assert found.synthetic[1] not in found.original


def test_records_are_the_same_whatever_number_type_holds_them_and_whatever_sign_zero_has():
    original = np.array([[[0, 1, -2]], [[3, 4, 5]]], dtype=np.int16)
    found = ids(original, np.array([[[-0.0, 1.0, -2.0]], [[3.0, 4.0, 5.5]]]))
    assert found.synthetic[0] == found.original[0]
    assert found.synthetic[1] not in found.original


def test_records_of_another_length_are_never_the_same():
    original = np.zeros((2, 1, 4))
    assert not set(ids(original, np.zeros((2, 1, 5))).synthetic) & set(ids(original, original).original)


def test_records_that_differ_within_half_a_lead_are_near_twins():
    one = waves(1, leads=2, samples=6)
    twin, stranger = one.copy(), one.copy()
    twin[0, 0, 1] += 1
    stranger[0, :, 1] += 1
    assert near_twins(recordings([from_memory(np.concatenate((one, twin))), from_memory(one, "synthetic")]))
    assert not near_twins(recordings([from_memory(np.concatenate((one, stranger))), from_memory(one, "synthetic")]))


def test_the_content_is_hashed_as_documented_whatever_the_number_type():
    array = np.array([[[1, -2], [0, 4]]], dtype=np.int16)
    expected = hashlib.sha256(b"signals 1 2 2\n" + np.array([1.0, -2.0, 0.0, 4.0]).astype("<f8").tobytes()).hexdigest()
    assert content_sha256(from_memory(array)) == expected
    assert content_sha256(from_memory(array.astype(">f4") * [[[1, 1], [-1, 1]]])) == expected  # -0.0 is 0.0
    assert content_sha256(from_memory(array.reshape(2, 1, 2))) != expected


def test_arrays_beyond_one_block_are_read_whole():
    array = np.zeros((3, 1, 1 << 21), dtype=np.int16)
    array[2, 0, -1] = 7
    assert sum(int(block.sum()) for block in from_memory(array).blocks()) == 7
    assert [len(block) for block in from_memory(array).blocks()] == [1, 1, 1]
