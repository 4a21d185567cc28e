import numpy as np

from reportgen.figures.placement import CLEARANCE, Box, Curve, Scene, clear, place_pair, trace


def _flat(y, apart=50.0):
    return Curve(
        np.array([(0.0, y), (200.0, y)]),
        np.array([(x, y) for x in range(10, 200, 20)], dtype=float),
        np.full(10, apart),
    )


def test_trace_leaves_no_gap_wider_than_a_point():
    points = trace(np.array([(0.0, 0.0), (30.0, 40.0), (30.0, 0.5)]))
    assert np.hypot(*np.diff(points, axis=0).T).max() <= 1.0 + 1e-9
    assert points[0].tolist() == [0.0, 0.0]
    assert points[-1].tolist() == [30.0, 0.5]


def test_labels_stand_near_their_own_curve_and_clear_of_both():
    low, high = _flat(20.0), _flat(120.0)
    first, second = place_pair(Scene(Box(0, 0, 200, 160)), (low, high), ((60, 11), (60, 11)))
    for label, own, other in ((first, 20.0, 120.0), (second, 120.0, 20.0)):
        middle = (label.box.y0 + label.box.y1) / 2
        assert abs(middle - own) < 20.0 < abs(middle - other)
        assert not label.box.y0 - CLEARANCE < own < label.box.y1 + CLEARANCE


def test_labels_point_to_where_the_curves_are_furthest_apart():
    xs = np.arange(10.0, 200, 20)
    apart = np.where(xs == 150, 20.0, 1.0)
    curve = Curve(np.array([(0.0, 60.0), (200.0, 60.0)]), np.stack([xs, np.full(10, 60.0)], axis=1), apart)
    label, _ = place_pair(Scene(Box(0, 0, 200, 160)), (curve, _flat(61.0)), ((40, 11), (40, 11)))
    assert label.anchor == (150.0, 60.0)


def test_labels_keep_clear_of_what_is_there_and_of_each_other():
    taken = Box(0, 70, 120, 100)
    line = np.array([(150.0, 0.0), (150.0, 100.0)])
    scene = Scene(Box(0, 0, 200, 100), (taken,), (line,))
    first, second = place_pair(scene, (_flat(30.0), _flat(32.0)), ((60, 11), (60, 11)))
    for box in (first.box, second.box):
        assert not box.meets(taken)
        assert box.x1 + CLEARANCE <= 150.0 or box.x0 - CLEARANCE >= 150.0
    assert not first.box.meets(second.box)


def test_there_is_no_place_for_labels_that_do_not_fit():
    assert place_pair(Scene(Box(0, 0, 200, 40)), (_flat(20.0), _flat(21.0)), ((60, 30), (60, 30))) is None
    assert place_pair(Scene(Box(0, 0, 50, 100)), (_flat(20.0), _flat(21.0)), ((60, 11), (60, 11))) is None


def test_a_leader_goes_round_the_other_curve_where_it_can():
    # The own curve lies below the other one; above both there is the most room, but the leader would cross.
    own, other = _flat(40.0), _flat(60.0)
    label, _ = place_pair(Scene(Box(0, 0, 200, 200)), (own, other), ((60, 11), (60, 11)))
    assert label.box.y1 < 60.0


def test_clear_is_false_outside_the_area_and_across_a_curve():
    scene = Scene(Box(0, 0, 200, 100))
    curve = _flat(50.0)
    assert clear(scene, (curve,), Box(10, 60, 50, 75))
    assert not clear(scene, (curve,), Box(10, 45, 50, 60))
    assert not clear(scene, (curve,), Box(10, 90, 50, 101))
