import pytest

from reportgen.figures import style
from reportgen.figures.labels import extent
from reportgen.render.running_title import SIZE, WIDTH, running_title


def test_a_title_with_room_stands_whole():
    assert running_title("Privacy assessment of synthetic.parquet") == "Privacy assessment of synthetic.parquet"


@pytest.mark.parametrize("title", ["long title " * 30, "W" * 300, "i" * 300])
def test_a_longer_title_is_cut_to_fill_the_line(title):
    shown = running_title(title)
    assert shown.endswith("…")
    assert title.startswith(shown.removesuffix("…"))
    with style.settings():
        assert 0.9 * WIDTH < extent(shown, SIZE) <= WIDTH


def test_letters_of_other_faces_count_as_wide_as_high():
    # 120 mm are 340.2 pt; less 2 % to spare, 41 letters of 8 pt fit, and 40 beside the sign that there are more.
    assert running_title("合" * 41) == "合" * 41
    assert running_title("合" * 42) == "合" * 40 + "…"
