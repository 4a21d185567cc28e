"""Searches that share products answer to the bit as one search for each part does."""

import numpy as np
import pytest

from reportgen.space import dropped, without
from reportgen.space.delegated import Delegates, delegated_to
from reportgen.space.dropped import Places, search_dropped
from reportgen.space.exact import k_nearest, k_nearest_here
from reportgen.space.famd import Layout
from reportgen.space.without import nearest_without, share, squared_ratio

LEVELS = (2, 5, 16, 40)
NUMBERS = 5
PARTS = [
    *(np.array([place]) for place in range(NUMBERS)),
    *(np.arange(NUMBERS + sum(LEVELS[:place]), NUMBERS + sum(LEVELS[: place + 1])) for place in range(len(LEVELS))),
]


def table(random, rows, offset=0.0):
    """Rounded numbers and categories with rare levels, weighed as FAMD does, so that ties and far rows are there."""
    parts = [np.round(random.standard_t(3, size=(rows, NUMBERS)), 1) + offset]
    for number in LEVELS:
        level = np.minimum(random.geometric(0.3, rows) - 1, number - 1)
        weights = 1 / np.sqrt(np.bincount(level, minlength=number) / rows + 1e-3)
        parts.append((level[:, np.newaxis] == np.arange(number)) * weights)
    return np.concatenate(parts, axis=1)


def copies(random, base, queries):
    """Put copies of base rows among the queries: exact ones, near ones, and some with one part of another row."""
    made = queries.copy()
    made[:40] = base[:40]
    made[40:80] = base[40:80] + 1e-9 * random.normal(size=(40, base.shape[1]))
    for row in range(80, 200):
        part = PARTS[row % len(PARTS)]
        made[row] = base[row]
        made[row, part] = base[row + 100, part]
    return made


def one_by_one(queries, base, k):
    for part in PARTS:
        left = np.setdiff1d(np.arange(base.shape[1]), part)
        yield k_nearest(np.ascontiguousarray(queries[:, left]), np.ascontiguousarray(base[:, left]), k)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("k", [1, 2, 6])
def test_every_part_is_answered_to_the_bit(k, offset):
    random = np.random.default_rng(k)
    base = table(random, 900, offset)
    queries = copies(random, base, table(random, 500, offset))
    answers = nearest_without(share(queries, base, PARTS, k))
    assert np.mean([answered for *_, answered in answers]) > 0.95
    for (distances, ids, answered), (alone, alone_ids) in zip(answers, one_by_one(queries, base, k), strict=True):
        assert (distances[answered] == alone[answered]).all()
        assert (ids[answered] == alone_ids[answered]).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_smallest_ratio_is_found_with_all_parts_that_share_it(seed):
    random = np.random.default_rng(seed)
    base = table(random, 900)
    queries = copies(random, base, table(random, 500))
    answers = nearest_without(share(queries, base, PARTS, 6), smallest_ratio=True)
    alone = list(one_by_one(queries, base, 6))
    ratios = np.stack([squared_ratio(distances) for distances, _ in alone])
    found = np.stack([squared_ratio(distances) for distances, *_ in answers])
    answered = np.all([own for *_, own in answers], axis=0)
    assert answered.mean() > 0.95
    smallest = (ratios == ratios.min(axis=0)) & answered
    assert ((smallest.sum(axis=0) > 1) & answered).any()
    assert (found[:, answered].min(axis=0) == ratios[:, answered].min(axis=0)).all()
    assert np.isinf(found).mean() > 0.5  # most parts are never measured
    for best, (distances, ids, _), (own, own_ids) in zip(smallest, answers, alone, strict=True):
        assert (distances[best] == own[best]).all()
        assert (ids[best] == own_ids[best]).all()


def test_threads_and_tiles_change_nothing(monkeypatch):
    random = np.random.default_rng(0)
    base, queries = table(random, 700), table(random, 400)
    shared = share(queries, base, PARTS, 6)
    whole = [array.tobytes() for answer in nearest_without(shared) for array in answer]
    monkeypatch.setattr(without, "_TILE", 50 * 700)
    monkeypatch.setattr(without, "_QUERIES", 130)
    assert [array.tobytes() for answer in nearest_without(shared, 3) for array in answer] == whole


def test_crowded_and_distant_queries_are_left_to_others():
    random = np.random.default_rng(0)
    base = table(random, 900)
    base[:600, NUMBERS:] = base[0, NUMBERS:]
    base[:600, :NUMBERS] = np.arange(600)[:, np.newaxis] * (np.arange(NUMBERS) == 0)
    queries = base[[0, 700]].copy()
    queries[1, 2] = 1e12
    answers = nearest_without(share(queries, base, PARTS, 6))
    assert [bool(answered[0]) for *_, answered in answers] == [False, *[True] * (len(PARTS) - 1)]
    assert not any(answered[1] for *_, answered in answers)
    with_ratio = nearest_without(share(queries, base, PARTS, 6), smallest_ratio=True)
    assert not any(answered.any() for *_, answered in with_ratio)


@pytest.mark.parametrize("factor", [2.0**450, 2.0**-450])
def test_extreme_numbers_are_not_shared(factor):
    base = table(np.random.default_rng(0), 900)
    assert share(base, base, PARTS, 6) is not None
    assert share(base * factor, base * factor, PARTS, 6) is None


def test_nothing_is_shared_where_another_process_searches():
    base = table(np.random.default_rng(0), 900)
    with delegated_to(Delegates(k_nearest_here)):
        assert share(base, base, PARTS, 6) is None


def test_small_and_large_bases_are_not_shared(monkeypatch):
    base = table(np.random.default_rng(0), 900)
    assert share(base, base[:100], PARTS, 6) is None
    monkeypatch.setattr(without, "MOST_ROWS", 899)
    assert share(base, base, PARTS, 6) is None


@pytest.mark.parametrize("crowded", [False, True])
def test_a_dropped_search_is_the_same_shared_or_not(monkeypatch, crowded):
    random = np.random.default_rng(5)
    base = table(random, 900)
    if crowded:  # without the first number they are all one row
        base[:600, 1:] = base[0, 1:]
        base[:600, 0] = np.arange(600) / 7
    queries = np.unique(copies(random, base, table(random, 400)), axis=0)
    base = np.unique(base, axis=0)
    slices = tuple(slice(int(part[0]), int(part[-1]) + 1) for part in PARTS)
    both = np.concatenate((queries, base))
    codes = np.stack([np.unique(both[:, own], axis=0, return_inverse=True)[1] for own in slices], axis=1)
    codes = codes.astype(np.int32)
    layout = Layout(
        codes, slices, np.zeros((len(slices), base.shape[1])), np.full(len(slices), -1), np.ones(len(slices))
    )
    places = Places(queries, codes[: len(queries)]), Places(base, codes[len(queries) :])
    times, parts = np.ones(len(queries), dtype=np.int64), [[0], [1, 2], *([column] for column in range(3, len(PARTS)))]

    def search():
        found = search_dropped(places[0], times, places[1], layout, parts, 1)
        return [array.tobytes() for array in (found.times, found.ratio, found.entry, found.real, found.share)]

    shared, asked = search(), []
    one_search = dropped._one_search
    monkeypatch.setattr(dropped, "share", lambda *_: asked.append(1))
    assert search() == shared
    assert asked == [1]
    monkeypatch.undo()
    monkeypatch.setattr(
        dropped, "_one_search", lambda some, *rest: asked.append(len(some.codes)) or one_search(some, *rest)
    )
    assert search() == shared
    assert (len(asked) > 1) == crowded
