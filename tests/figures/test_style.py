"""Letters are measured under matplotlib's own settings; afterwards the host's hold again, however deeply nested."""

import matplotlib as mpl
import pytest

from reportgen.figures import style
from reportgen.figures.labels import extent


def test_settings_hold_until_the_outermost_ends():
    with mpl.rc_context({"font.size": 30.0}):
        with style.settings():
            with style.settings():
                assert mpl.rcParams["font.size"] == mpl.rcParamsDefault["font.size"]
            assert mpl.rcParams["font.size"] == mpl.rcParamsDefault["font.size"]
        assert mpl.rcParams["font.size"] == 30.0


def test_dashes_are_lengths_of_ink_and_gap():
    assert all(length > 0 for length in (*style.DASH, *style.DOTS))
    assert len(style.DASH) == len(style.DOTS) == 2


def test_a_line_is_as_wide_as_its_letters_in_the_packaged_face():
    with style.settings():
        # A digit of Source Sans is 497 thousandths of its size wide.
        assert extent("2026", 10) == pytest.approx(4 * 4.97, abs=0.02)
