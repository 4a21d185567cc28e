import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.transforms import Bbox

from reportgen.figures import style
from reportgen.figures.cells import draw_cells, shade_step
from reportgen.figures.svg import to_svg

TEXTS = {
    "reference_label": "original rows against the holdout",
    "synthetic_label": "original rows against the synthetic rows",
    "x_threshold_text": "5th percentile of d: 0.387",
    "y_threshold_text": "5th percentile of r: 0.297",
}


def _draw(reference, synthetic, words, *, x=1.0, y=0.5, narrow=False, **texts):
    return draw_cells(reference, synthetic, words, x_threshold=x, y_threshold=y, narrow=narrow, **(TEXTS | texts))


def _extents(area):
    """The box around all shapes of an area."""
    corners = np.concatenate(area.shapes)
    return Bbox([corners.min(axis=0), corners.max(axis=0)])


@pytest.mark.parametrize(
    ("count", "step"), [(0, None), (-1, 0), (5, 1), (9, 1), (10, 2), (19, 2), (20, 3), (49, 3), (50, 4), (10**6, 4)]
)
def test_cells_are_shaded_by_their_number_of_rows(count, step):
    assert shade_step(count) == step


@pytest.mark.parametrize("steps", [style.REFERENCE_STEPS, style.SYNTHETIC_STEPS])
def test_shades_get_darker_in_grey_as_well(steps):
    grey = [np.dot(to_rgb(shade), (0.2126, 0.7152, 0.0722)) for shade in steps]
    assert all(a - b > 0.09 for a, b in itertools.pairwise(grey))


def test_every_filled_cell_is_drawn_once_at_its_place(grid, words):
    cells = grid([[5, 0], [0, -1]])
    figure = _draw(cells, cells, words)
    drawn = [patch for patch in figure.marks if patch.name.startswith("step")]
    assert sorted(patch.name for patch in drawn) == ["step 0", "step 0", "step 1", "step 1"]
    few, five = (next(patch for patch in drawn if patch.name == name) for name in ("step 0", "step 1"))
    few, five = _extents(few), _extents(five)
    assert (few.x0, few.y0) == pytest.approx((five.x1, five.y1))


def test_the_region_at_risk_reaches_to_both_thresholds(grid, words):
    cells = grid([[5, 0, 0, 0], [0, 0, 0, 5]])
    figure = _draw(cells, cells, words, x=1.0, y=0.5)
    patches = figure.marks
    region = _extents(next(patch for patch in patches if patch.name == "region"))
    corner = _extents(next(patch for patch in patches if patch.name == "step 1"))
    # Both cells together span the panel: 4 wide and 1 high. The region is the first cell.
    assert region.width == pytest.approx(corner.width / 4)
    assert region.height == pytest.approx(corner.height / 2)


def test_panels_stand_beside_each_other_or_one_above_the_other(grid, words):
    cells = grid([[5, 0], [0, -1]])
    for narrow in (False, True):
        patches = _draw(cells, cells, words, narrow=narrow).marks
        first, second = (_extents(patch) for patch in patches if patch.name == "region")
        assert bool(first.y0 == second.y0) is not narrow
        assert bool(first.x0 == second.x0) is narrow


def test_very_uneven_columns_get_a_logarithmic_axis(grid, words):
    cells = grid([[5, 5, 5, 5]], x_edges=(0.0, 1.0, 10.0, 100.0, 1000.0))
    patches = _draw(cells, cells, words, x=10.0).marks
    region = _extents(next(patch for patch in patches if patch.name == "region"))
    columns = _extents(next(patch for patch in patches if patch.name == "step 1"))
    assert region.width > columns.width / 2  # a linear axis from 0 to 190 would give it a twentieth


def test_the_last_column_holds_everything_beyond_and_is_drawn_as_wide_as_the_one_before(grid, words):
    near = grid([[5, 5, 5]], x_edges=(0.0, 1.0, 2.0, 3.0))
    far = grid([[5, 5, 5]], x_edges=(0.0, 1.0, 2.0, 1000.0))
    assert to_svg(_draw(near, near, words, x=1.0), as_text=False) == to_svg(
        _draw(far, far, words, x=1.0), as_text=False
    )


def test_edges_must_be_shared(grid, words):
    with pytest.raises(ValueError, match="same edges"):
        _draw(grid([[5]]), grid([[5, 5]]), words)


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 30), st.integers(1, 40)),
    at=st.tuples(st.sampled_from([-1, 0, 0.03, 0.5, 1, 3]), st.sampled_from([-1, 0, 0.02, 0.3, 0.97, 1, 3])),
    times=st.sampled_from([1, 4]),
)
def test_labels_never_touch_each_other_nor_leave_the_figure(grid, words, drawn, narrow, seed, shape, at, times):
    counts = np.random.default_rng(seed).poisson(3, shape)
    counts[(counts > 0) & (counts < 5)] = -1
    cells = grid(counts)
    texts = {name: " and ".join([text] * times) for name, text in TEXTS.items()}
    shown = drawn(_draw(cells, cells, words, x=at[0] * shape[1], y=at[1], narrow=narrow, **texts))
    assert shown.collisions() == []
    assert shown.outside() == []
