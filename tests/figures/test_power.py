import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.figures.power import PowerText, draw_power
from reportgen.figures.svg import to_svg
from reportgen.model import PowerPoint

LABEL = "11 rows, 0.55\N{NO-BREAK SPACE}%"
LADDER = (4, 6, 9, 14, 20, 30, 46, 68, 103, 154, 231, 346)


def text(mark=LABEL):
    return PowerText(
        x_label="near-copies planted among 2,000 synthetic rows",
        x_label_narrow="near-copies planted",
        y_label="trials that noticed, %",
        mark=mark,
    )


def points(*shares):
    return tuple(PowerPoint(rows=rows, power=share) for rows, share in zip(LADDER, shares, strict=False))


GOOD = points(0.22, 0.39, 0.69, 0.96)


def crosses(shown):
    """Names of the lines, among the curve and the line down to the axis, that run through the label."""
    found = []
    for box in shown.extents("smallest"):
        for name in ("power", "smallest"):
            if not shown.has_line(name):
                continue
            data = shown.line(name)
            along = np.linspace(0, 1, 400)[:, None, None]
            places = (data[:-1] + along * (data[1:] - data[:-1])).reshape(-1, 2)
            if ((places > (box.x0, box.y0)) & (places < (box.x1, box.y1))).all(axis=1).any():
                found.append(name)
    return found


@pytest.fixture(params=[False, True], ids=["wide", "narrow"])
def draw(request, drawn):
    def drawing(curve, smallest, target=0.8, mark=LABEL):
        return drawn(draw_power(curve, text(mark), target=target, smallest=smallest, narrow=request.param))

    return drawing


def test_the_curve_goes_through_the_share_at_every_number_of_rows(draw):
    shown = draw(GOOD, 11)
    curve = shown.line("power")
    assert curve[:, 1] == pytest.approx([shown.y_of(share) for share in (22, 39, 69, 96)], abs=0.3)
    # On a logarithmic axis from 4 to 14, 6 lies ln(6/4)/ln(14/4) = 0.324 along the way.
    assert (curve[1, 0] - curve[0, 0]) / (curve[3, 0] - curve[0, 0]) == pytest.approx(0.3237, abs=1e-3)


def test_ticks_are_the_planted_numbers(draw):
    shown = draw(GOOD, 11)
    assert [tick.text for tick in shown.texts("x-tick")] == ["4", "6", "9", "14"]
    middles = [(box.x0 + box.x1) / 2 for box in shown.extents("x-tick")]
    assert middles == pytest.approx(shown.line("power")[:, 0], abs=0.3)


def test_the_smallest_leak_is_marked_on_the_curve_where_it_passes_the_dotted_line(draw):
    shown = draw(GOOD, 11)
    (x, y), *_ = shown.line("mark")
    # 69 + (96 - 69) ln(11/9)/ln(14/9) = 81.3: the first whole number of rows above 80 %.
    assert y == pytest.approx(shown.y_of(81.26), abs=0.3)
    assert shown.line("target")[:, 1] == pytest.approx([shown.y_of(80)] * 2, abs=0.3)
    assert shown.line("smallest") == pytest.approx(np.array([(x, shown.foot), (x, y)]))
    assert "".join(line.text for line in shown.texts("smallest")) == LABEL


def test_another_share_that_is_asked_for_moves_the_dotted_line(draw):
    shown = draw(GOOD, 13, target=0.9)
    assert shown.line("target")[0, 1] == pytest.approx(shown.y_of(90), abs=0.3)


def test_without_a_smallest_leak_nothing_is_marked_and_the_last_point_is_labelled(draw):
    shown = draw(points(0.05, 0.3, 0.79), None, mark="9 rows:\nnoticed in 79 % of trials")
    assert not shown.has_line("mark")
    assert not shown.has_line("smallest")
    assert [line.text for line in shown.texts("smallest")] == ["9 rows:", "noticed in 79 % of trials"]
    box, last = shown.extents("smallest")[1], shown.line("power")[-1]
    assert np.hypot(max(box.x0 - last[0], 0, last[0] - box.x1), max(box.y0 - last[1], 0, last[1] - box.y1)) < 30


def test_one_point_stands_in_the_middle_of_the_axis(draw):
    shown = draw(points(0.93), 4)
    left, _, right, _ = shown.frame
    assert shown.line("mark")[0, 0] == pytest.approx((left + right) / 2, abs=1)
    assert shown.line("mark")[0, 1] == pytest.approx(shown.y_of(93), abs=0.3)


def test_a_curve_that_never_rises_lies_on_the_axis(draw):
    shown = draw(points(*(0.0,) * 12), None)
    assert shown.line("power")[:, 1] == pytest.approx(shown.foot)
    assert crosses(shown) == []


def test_many_points_drop_ticks_but_never_the_last(draw):
    shown = draw(tuple(PowerPoint(rows=round(4 * 1.2**step), power=0.0) for step in range(2, 36)), None)
    ticks = [tick.text for tick in shown.texts("x-tick")]
    assert 2 < len(ticks) < 34
    assert ticks[-1] == f"{round(4 * 1.2**35):,}"
    assert shown.collisions() == []


def test_no_curve_is_refused():
    with pytest.raises(ValueError, match="at least one point"):
        draw_power((), text(), target=0.8, smallest=None, narrow=False)


def test_the_same_curve_gives_the_same_bytes():
    written = [to_svg(draw_power(GOOD, text(), target=0.8, smallest=11, narrow=True), as_text=False) for _ in range(2)]
    assert written[0] == written[1]


def test_points_and_mark_differ_in_shape_and_lightness():
    """Told apart in grey: hollow circles on a dashed line, a filled diamond in ink."""
    figure = draw_power(GOOD, text(), target=0.8, smallest=11, narrow=False)
    curve, mark = (next(part for part in figure.marks if part.name == name) for name in ("power", "mark"))
    assert (curve.marker.shape, curve.marker.fill) == ("circle", "white")
    assert mark.marker.shape == "diamond"
    assert curve.dash


@st.composite
def curves(draw):
    count = draw(st.integers(1, len(LADDER)))
    shares = draw(st.lists(st.integers(0, 79), min_size=count, max_size=count))
    if not draw(st.booleans()):
        return points(*(share / 100 for share in shares)), None
    shares[-1] = draw(st.integers(80, 100))
    low = LADDER[count - 2] + 1 if count > 1 else LADDER[0]
    return points(*(share / 100 for share in shares)), draw(st.integers(low, LADDER[count - 1]))


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=curves())
def test_the_label_never_touches_a_line_nor_another_text_nor_leaves_the_figure(drawn, narrow, case):
    curve, smallest = case
    mark = LABEL if smallest else "346 rows, 17.30\N{NO-BREAK SPACE}%:\nnoticed in 64\N{NO-BREAK SPACE}% of trials"
    shown = drawn(draw_power(curve, text(mark), target=0.8, smallest=smallest, narrow=narrow))
    assert shown.collisions() == []
    assert crosses(shown) == []
    assert shown.outside() == []
