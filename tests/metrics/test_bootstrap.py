"""Bootstrap intervals, above all of rows that belong to persons."""

import numpy as np
import pytest

from reportgen.metrics.bootstrap import _picks, intervals, unpaired_intervals


def mean(series):
    return series[0].mean(axis=1)[np.newaxis]


def test_persons_are_drawn_with_all_their_rows():
    # Person 0 has rows 0 and 3, person 1 row 1, person 2 rows 2, 4 and 5: a resample holds three of these sets.
    picks = list(_picks(6, np.array([0, 1, 2, 0, 2, 2]), 200, np.random.default_rng(0)))
    sets = {0: (0, 3), 1: (1,), 2: (2, 4, 5)}
    sizes = set()
    for picked in picks:
        rows = picked[0].tolist()
        drawn = []
        while rows:  # rows of one drawn person stand together, in order
            person = next(p for p, own in sets.items() if tuple(rows[: len(own)]) == own)
            drawn.append(person)
            rows = rows[len(sets[person]) :]
        assert len(drawn) == 3
        sizes.add(picked.shape[1])
    assert sizes == set(range(3, 10))  # from three times one row to three times three rows


def test_mean_of_two_persons_takes_the_values_worked_out_by_hand():
    # Rows 0 and 0 of one person, 10 of another: both of one, one of each, or both of the other: 0, 10/3, 10.
    series, persons = (np.array([0.0, 10.0, 0.0]),), np.array([0, 1, 0])
    values = [mean((series[0][picked],))[0, 0] for picked in _picks(3, persons, 300, np.random.default_rng(1))]
    assert sorted(set(np.round(values, 9))) == pytest.approx([0, 10 / 3, 10])
    ((low, high),) = intervals([series], mean, 300, np.random.default_rng(1), [persons])
    assert (low, high) == (0, 10)


def test_interval_of_persons_is_as_wide_as_there_are_persons():
    # 40 persons whose 25 rows are all equal: the mean is as uncertain as that of 40 rows.
    random = np.random.default_rng(2)
    of_persons = random.normal(size=40)
    rows, persons = np.repeat(of_persons, 25), np.repeat(np.arange(40), 25)
    ((low, high),) = intervals([(rows,)], mean, 2000, random, [persons])
    ((fewer_low, fewer_high),) = intervals([(of_persons,)], mean, 2000, random)
    ((many_low, many_high),) = intervals([(rows,)], mean, 2000, random)
    assert high - low == pytest.approx(fewer_high - fewer_low, rel=0.1)
    assert high - low > 4 * (many_high - many_low)


def test_persons_of_either_side_are_resampled_in_unpaired_intervals():
    random = np.random.default_rng(3)
    first, second = np.repeat(random.normal(size=30), 20), random.normal(size=600)

    def width(persons):
        ((low, high),) = unpaired_intervals(
            first, second, lambda a, b: (a.mean(axis=-1) - b.mean(axis=-1))[np.newaxis], 1000, random, persons
        )
        return high - low

    assert width((np.repeat(np.arange(30), 20), None)) > 3 * width((None, None))
    assert width((None, np.repeat(np.arange(30), 20))) == pytest.approx(width((None, None)), rel=0.3)
