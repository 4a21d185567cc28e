"""Neighbours among rows of persons against float64 brute force."""

import numpy as np
import pytest

from reportgen.space import by_person
from reportgen.space.by_person import nearest_others, nearest_persons


def brute_others(rows, persons, k):
    """Every other person's rows by (distance, position), the k nearest."""
    found = []
    for i, row in enumerate(rows):
        distance = np.sqrt(((rows - row) ** 2).sum(axis=1))
        others = [j for j in np.lexsort((np.arange(len(rows)), distance)) if persons[j] != persons[i]]
        found.append([distance[j] for j in others[:k]] + [np.inf] * (k - len(others)))
    return np.array(found)


def brute_persons(queries, base, owners, k, own):
    """The rows of the base by (distance, position), the first of each owner, the k nearest."""
    distances, ids = [], []
    for i, row in enumerate(queries):
        distance = np.sqrt(((base - row) ** 2).sum(axis=1))
        seen, kept = set() if own is None else {own[i]}, []
        for j in np.lexsort((np.arange(len(base)), distance)):
            if owners[j] not in seen:
                seen.add(owners[j])
                kept.append(j)
        distances.append(distance[kept[:k]])
        ids.append(kept[:k])
    return np.array(distances), np.array(ids)


def places(rows):
    """Different rows in order, and where each row stands among them."""
    different, place = np.unique(rows, axis=0, return_inverse=True)
    return np.ascontiguousarray(different), place.ravel().astype(np.int64)


@pytest.fixture(params=["apart", "repeated", "one person everywhere"])
def people(request):
    """Rows of persons: apart; on a grid, with many equal rows within and across persons; one person of 120 rows."""
    random = np.random.default_rng(5)
    person = np.repeat(np.arange(30), random.integers(1, 9, size=30))
    rows = random.normal(size=(30, 3))[person] + 0.05 * random.normal(size=(len(person), 3))
    if request.param == "repeated":
        rows = rows.round(0)
    if request.param == "one person everywhere":
        person = np.concatenate((person, np.full(120, 30)))
        rows = np.concatenate((rows, rows[:1] + 1e-3 * random.normal(size=(120, 3))))
    order = random.permutation(len(rows))
    return rows[order], person[order].astype(np.int64)


@pytest.fixture(params=["as it is", "deeper only"], autouse=True)
def way(request, monkeypatch):
    """Small tables are compared with every row; both ways must give the same."""
    if request.param == "deeper only":
        monkeypatch.setattr(by_person, "_MOST_OF_ALL", 0)
        monkeypatch.setattr(by_person, "_FEW_PERSONS", 0)


def test_other_peoples_rows_are_as_brute_force_finds_them(people):
    rows, person = people
    coordinates, place = places(rows)
    distances, ids = nearest_others(coordinates, place, person, 5)
    np.testing.assert_allclose(distances, brute_others(rows, person, 5), rtol=1e-12, atol=1e-15)
    assert (person[ids] != person[:, np.newaxis]).all()
    own = np.sqrt(((rows[ids] - rows[:, np.newaxis]) ** 2).sum(axis=2))
    np.testing.assert_allclose(own, distances, rtol=1e-12, atol=1e-15)
    assert all(len(set(line)) == 5 for line in ids.tolist())


def test_with_too_few_rows_of_others_the_rest_is_infinitely_far():
    coordinates = np.array([[0.0], [1.0], [3.0]])
    distances, ids = nearest_others(coordinates, np.array([0, 1, 2]), np.array([0, 0, 1]), 2)
    assert distances.tolist() == [[3.0, np.inf], [2.0, np.inf], [2.0, 3.0]]
    assert ids.tolist() == [[2, -1], [2, -1], [1, 0]]


def test_the_closest_row_of_each_of_the_closest_persons_is_as_brute_force_finds_it(people):
    rows, person = people
    coordinates, place = places(rows)
    expected, expected_ids = brute_persons(rows, rows, person, 6, person)
    distances, ids = nearest_persons(coordinates, place, place, person, 6, own=person)
    np.testing.assert_allclose(distances, expected, rtol=1e-12, atol=1e-15)
    assert (ids == expected_ids).all()


def test_queries_that_are_nobodys_find_every_person(people):
    rows, person = people
    queries = np.random.default_rng(6).normal(size=(50, 3)).round(1)
    coordinates, place = places(np.concatenate((queries, rows)))
    expected, _ = brute_persons(queries, rows, person, 10, None)
    distances, ids = nearest_persons(coordinates, place[:50], place[50:], person, 10)
    np.testing.assert_allclose(distances, expected, rtol=1e-12, atol=1e-15)
    assert all(len(set(person[line].tolist())) == 10 for line in ids)


def test_threads_change_no_answer(people):
    rows, person = people
    coordinates, place = places(rows)
    one = nearest_others(coordinates, place, person, 3, 1)
    two = nearest_others(coordinates, place, person, 3, 2)
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
