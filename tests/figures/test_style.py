"""The settings that figures are drawn under: ours within, the host's afterwards, however deep they are nested."""

import matplotlib as mpl

from reportgen.figures import style


def test_settings_hold_until_the_outermost_ends():
    with mpl.rc_context({"svg.hashsalt": "the host's"}):
        with style.settings():
            with style.settings():
                assert mpl.rcParams["svg.hashsalt"] == "reportgen"
            assert mpl.rcParams["svg.hashsalt"] == "reportgen"
        assert mpl.rcParams["svg.hashsalt"] == "the host's"


def test_settings_of_ones_own_count_within_others():
    with style.settings():
        with style.settings(hatch__linewidth=3.0):
            assert mpl.rcParams["hatch.linewidth"] == 3.0
            with style.settings():
                assert mpl.rcParams["hatch.linewidth"] == 0.5
        assert mpl.rcParams["hatch.linewidth"] == 0.5
