import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.figures import style
from reportgen.figures.summary import ScoreRow, SummaryText, draw_summary
from reportgen.figures.svg import to_svg

TEXT = SummaryText(
    more="← more leak",
    less="less →",
    ideal="ideal range",
    value_head="this file",
    x_label="distance from the middle of the ideal range, in half-widths of that range",
    x_label_narrow="distance from the middle of the ideal range,\nin half-widths of that range",
)
NAMES = (
    "Closest Rate",
    "Closest Distances Ratio: lower tail, 2.5th percentile",
    "Membership inference: original rows found at 1 % false alarms",
    "Nearest distance: mean distance to synthetic rows",
)


def row(at, low=None, high=None, reference=0.0, name="Closest Rate", group="descriptive"):
    ends = (at if low is None else low, at if high is None else high)
    return ScoreRow(name, "93.35\N{NO-BREAK SPACE}%", "97.26 to 98.86\N{NO-BREAK SPACE}%", at, *ends, reference, group)


@pytest.fixture(params=[False, True], ids=["wide", "narrow"])
def draw(request, drawn):
    def drawing(*rows):
        return drawn(draw_summary(rows, TEXT, narrow=request.param))

    return drawing


def lines(shown, name):
    return shown.lines(name)


def ticks(shown):
    """Places of the ticks, by what they count: the left half stands for more leak."""
    middles = [(box.x0 + box.x1) / 2 for box in shown.extents("x-tick")]
    return dict(zip((-6, -4, -2, -1, 0, 1, 2, 4), middles, strict=True))


def place(shown, at):
    found = ticks(shown)
    return found[0] + at * (found[4] - found[-6]) / 10


def test_dot_interval_and_reference_stand_at_their_half_widths(draw):
    shown = draw(row(-1.5, -3.0, 0.5, reference=0.25))
    (dot,), (interval,), (reference,) = (lines(shown, name) for name in ("dot", "interval", "reference"))
    assert dot.places[0, 0] == pytest.approx(place(shown, -1.5), abs=0.3)
    assert interval.places[:, 0] == pytest.approx([place(shown, -3), place(shown, 0.5)], abs=0.3)
    assert reference.places[:, 0] == pytest.approx([place(shown, 0.25)] * 2, abs=0.3)
    assert dot.places[0, 1] == pytest.approx(interval.places[0, 1])


def test_ticks_count_half_widths_on_both_sides(draw):
    assert [text.text for text in draw(row(0)).texts("x-tick")] == ["6", "4", "2", "1", "0", "1", "2", "4"]


@pytest.mark.parametrize(
    ("where", "filled"),
    [((-2, -3, -1.01), True), ((-2, -3, -1.0), False), ((-0.5, -0.9, 0), False), ((2, 1.5, 3), False)],
    ids=["wholly outside", "touches the range", "inside", "on the safe side"],
)
def test_only_a_score_wholly_outside_on_the_side_of_a_leak_is_filled(draw, where, filled):
    (dot,) = lines(draw(row(*where)), "dot")
    assert dot.marker.fill == (style.SYNTHETIC if filled else "white")


@pytest.mark.parametrize(("at", "marker", "end"), [(-40.0, "left", -6), (float("inf"), "right", 4)])
def test_beyond_the_axis_an_arrow_stands_at_its_end(draw, at, marker, end):
    shown = draw(row(at, at, at))
    (dot,) = lines(shown, "dot")
    assert dot.marker.shape == marker
    assert dot.places[0, 0] == pytest.approx(place(shown, end), abs=2.5)
    assert dot.marker.fill == (style.SYNTHETIC if at < 0 else "white")


def test_a_reference_that_is_missing_or_off_the_axis_is_not_marked(draw):
    assert lines(draw(row(0, reference=None)), "reference") == []
    assert lines(draw(row(0, reference=-9.0)), "reference") == []


def test_the_end_of_an_interval_beyond_the_axis_is_cut_at_it(draw):
    shown = draw(row(-5, -30, -2))
    (interval,) = lines(shown, "interval")
    assert interval.places[0, 0] == pytest.approx(place(shown, -6), abs=0.3)


def test_groups_are_set_apart_by_a_rule(draw):
    tested = [row(0, group="tested", name=name) for name in NAMES[:2]]
    shown = draw(*tested, row(0), row(1))
    (rule,) = lines(shown, "rule")
    heights = [dot.places[0, 1] for dot in lines(shown, "dot")]
    assert heights == sorted(heights, reverse=True)
    assert heights[1] > rule.places[0, 1] > heights[2]
    assert lines(draw(row(0), row(1)), "rule") == []


def test_values_stand_in_both_widths_and_ranges_in_the_wide_one(drawn):
    for narrow in (False, True):
        shown = drawn(draw_summary([row(0)], TEXT, narrow=narrow))
        assert [text.text for text in shown.texts("value")] == ["93.35\N{NO-BREAK SPACE}%"]
        assert len(shown.texts("ideal")) == (0 if narrow else 1)


def test_no_row_is_refused():
    with pytest.raises(ValueError, match="at least one score"):
        draw_summary((), TEXT, narrow=False)


def test_the_same_rows_give_the_same_bytes():
    written = [to_svg(draw_summary([row(-2), row(9)], TEXT, narrow=True), as_text=False) for _ in range(2)]
    assert written[0] == written[1]


ROWS = st.lists(
    st.builds(
        row,
        st.floats(-20, 20),
        st.floats(-20, 0),
        st.floats(0, 20),
        reference=st.one_of(st.none(), st.floats(-3, 3)),
        name=st.sampled_from(NAMES),
        group=st.sampled_from(["tested", "descriptive"]),
    ),
    min_size=1,
    max_size=25,
)


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=ROWS)
def test_no_text_touches_another_nor_leaves_the_figure_nor_a_dot_its_row(drawn, narrow, rows):
    shown = drawn(draw_summary(rows, TEXT, narrow=narrow))
    assert shown.collisions() == []
    assert shown.outside() == []
    heights = np.array([dot.places[0, 1] for dot in lines(shown, "dot")])
    assert (np.diff(heights) < -12.5).all()  # the marks of a row are 9.2 points high
    for box in shown.extents("name") if narrow else ():
        assert not ((heights > box.y0 - 2.7) & (heights < box.y1 + 2.7)).any()
