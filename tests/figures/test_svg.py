import html
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from reportgen.figures.histogram import draw_histogram
from reportgen.figures.labels import FigureText
from reportgen.figures.marks import Area, Drawing, Line, Marker, Words
from reportgen.figures.svg import data_uri, to_svg
from reportgen.figures.writing import outline

PROGRAM = """
import hashlib, logging, sys, warnings
warnings.simplefilter("error")
from reportgen.figures.histogram import draw_histogram
from reportgen.figures.svg import to_svg
from reportgen.figures.tail import draw_tail
assert "matplotlib" not in sys.modules
from reportgen.figures.labels import FigureText, Threshold
from reportgen.model import Histogram, Quantiles
nothing = Quantiles(levels=(), values=())
series = Histogram(edges=(0.0, 0.1, 1.0, 2.0), counts=(9, 6, 5), quantiles=nothing, zero_count=4, n=20)
text = FigureText("x", "x", "%", "reference", "synthetic", "zero")
figures = [
    draw_histogram(series, series, text, log=True, threshold=Threshold(0.5, "here"), narrow=False),
    draw_tail(series, series, text, threshold=None, narrow=True),
]
written = [to_svg(figure, as_text=as_text) for figure in figures for as_text in (False, True)]
print(hashlib.sha256("".join(written).encode()).hexdigest())
"""


@pytest.fixture(params=[False, True], ids=["paths", "text"])
def svg(request, skewed, words, threshold):
    figure = draw_histogram(*skewed, words, log=False, threshold=threshold, narrow=False)
    return to_svg(figure, as_text=request.param)


def _parsed(svg):
    return ET.fromstring(svg)


def _run(**variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MPL", "PYTHONHASH"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment | variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_two_processes_write_the_same_bytes():
    assert _run(PYTHONHASHSEED="1", TZ="Asia/Tokyo") == _run(PYTHONHASHSEED="2", TZ="UTC", LC_ALL="C")


def test_neither_a_matplotlibrc_nor_a_home_that_is_no_folder_changes_or_says_anything(tmp_path):
    (tmp_path / "matplotlibrc").write_text(
        "lines.linewidth: 9\nsvg.fonttype: none\nfont.size: 30\nsavefig.bbox: tight\n"
    )
    blocked = tmp_path / "file"
    blocked.write_text("")
    plain = _run()
    assert _run(MATPLOTLIBRC=str(tmp_path / "matplotlibrc")) == plain
    assert _run(HOME=str(blocked), MPLCONFIGDIR=str(blocked / "below"), XDG_CACHE_HOME=str(blocked)) == plain


def test_letters_are_drawn_in_the_size_they_were_measured_in(skewed, words):
    drawing = draw_histogram(*skewed, words, log=False, threshold=None, narrow=True)
    sizes = {mark.size for mark in drawing.marks if isinstance(mark, Words)}
    drawn = {1000 * float(scale) for scale in re.findall(r"scale\(([0-9.]+) -", to_svg(drawing, as_text=False))}
    assert any(size != round(size) for size in drawn)  # 8.5 points are among them
    assert all(any(one == pytest.approx(size) for size in sizes) for one in drawn)


def test_saving_twice_gives_the_same_bytes(skewed, words):
    figure = draw_histogram(*skewed, words, log=False, threshold=None, narrow=False)
    first = to_svg(figure, as_text=False)
    to_svg(figure, as_text=True)
    assert to_svg(figure, as_text=False) == first


def test_it_is_one_svg_element_of_the_page_width(svg):
    root = _parsed(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("width") == "493.23pt"  # 174 mm


def test_ids_are_unique_and_all_referred_to(svg):
    ids = re.findall(r' id="([^"]*)"', svg)
    references = set(re.findall(r'(?:href="|url\()#([^")]*)', svg))
    assert len(ids) == len(set(ids))
    assert set(ids) == references


def test_nothing_tells_when_or_by_what_it_was_made(svg):
    for word in ("<metadata", "<!--", "<!DOCTYPE", "<?xml", "matplotlib", "Matplotlib", "dc:"):
        assert word not in svg


def test_it_is_small(svg):
    assert len(svg) < 60_000
    assert len(data_uri(svg)) < 60_000


def test_coordinates_have_at_most_two_decimals(svg):
    coordinates = re.sub(r">[^<]*<|scale\([^)]*\)", "><", svg)
    assert re.findall(r"\d\.\d{3,}", coordinates) == []


def test_as_text_every_label_can_be_searched_and_names_the_packaged_face(skewed, words, threshold):
    svg = to_svg(draw_histogram(*skewed, words, log=False, threshold=threshold, narrow=False), as_text=True)
    shown = html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)))
    for label in (words.reference, words.synthetic, words.x_label, words.y_label, *threshold.text.split("\n")):
        assert label in shown
    assert svg.count("Reportgen Sans") == svg.count("<text")


def test_as_paths_no_font_is_needed(skewed, words):
    svg = to_svg(draw_histogram(*skewed, words, log=False, threshold=None, narrow=False), as_text=False)
    assert "<text" not in svg
    assert "font" not in svg


def test_hostile_labels_are_text_and_stay_as_they_are(histogram):
    label = '</text><script x="1.23456"> d="1.23456" $x^2$ & --> \N{GRINNING FACE}'
    series = histogram((0, 1), (20,))
    text = FigureText("x", "x", "%", label, "b", "zero")
    figure = draw_histogram(series, series, text, log=False, threshold=None, narrow=False)
    shown = [element.text for element in _parsed(to_svg(figure, as_text=True)).iter("{http://www.w3.org/2000/svg}text")]
    assert label.replace("\N{GRINNING FACE}", "?") in " ".join(shown)
    _parsed(to_svg(figure, as_text=False))


def test_a_data_address_holds_the_svg_and_needs_no_escaping_in_a_quoted_attribute(svg):
    address = data_uri(svg)
    assert address.startswith("data:image/svg+xml,")
    assert html.escape(address) == address
    assert not re.search(r"[\s<>\"'#]", address.removeprefix("data:image/svg+xml,"))
    assert urllib.parse.unquote(address.partition(",")[2]) == svg.replace("\n", "")
    assert len(address) < len("data:image/svg+xml;base64,") + 4 * len(svg.encode()) / 3


def test_outlines_of_letters_are_written_by_steps_and_lose_nothing():
    # In tenths: from (0, 0) to (100, 0), to (100, 50), a curve over (200, 50) to (150, 100), back; a second outline.
    corners = [(0, 0), (10, 0), (10, 5), (20, 5), (15, 10), (0, 0), (1, -1), (2, -2), (0, 0)]
    assert outline(corners, [1, 2, 2, 3, 3, 79, 1, 2, 79]) == "M0,0h100v50q100,0,50,50zM10,-10l10,-10z".replace(
        ",-", "-"
    )


def test_cubic_curves_are_written_by_steps():
    # From (10, 10) with the guides (10, 20) and (20, 30) to (30, 30).
    assert outline([(1, 1), (1, 2), (2, 3), (3, 3)], [1, 4, 4, 4]) == "M10,10c0,10,10,20,20,20"


NAN = float("nan")


def shown(*marks):
    """The elements of a drawing of 100 by 50 points without its texts, each with what it states."""
    root = _parsed(to_svg(Drawing(100.0, 50.0, marks), as_text=True))
    return [(part.tag.rpartition("}")[2], part.attrib) for part in root.iter() if part.tag.endswith(("path", "circle"))]


def test_lines_have_y_downwards_the_shortest_commands_and_gaps_at_nan():
    places = np.array([(10, 40), (20, 40), (20, 30), (20.001, 30.001), (NAN, NAN), (60, 0), (70, 5.255)])
    ((tag, stated),) = shown(Line(places, "#123456", 0.5, 1.0, dash=(9.0, 1.3)))
    assert (tag, stated["d"]) == ("path", "M10,10H20V20M60,50L70,44.74")
    assert (stated["stroke"], stated["stroke-width"], stated["stroke-dasharray"]) == ("#123456", "0.5", "4.5,0.65")
    assert "fill" not in stated  # none, by the group around it


def test_marks_are_drawn_in_their_order_and_those_of_the_same_order_as_they_came():
    lines = [
        Line(np.array([(x, 0.0), (x, 9.0)]), "#000000", 1.0, order) for x, order in ((1, 3), (2, 1), (3, 3), (4, 0))
    ]
    assert [stated["d"].partition(",")[0] for _, stated in shown(*lines)] == ["M4", "M2", "M1", "M3"]


def test_shapes_of_an_area_are_one_closed_path():
    square = np.array([(0, 0), (0, 10), (10, 10), (10, 0)])
    ((_, stated),) = shown(Area((square, square + 20), "#abcdef", 1.0, edge="white", edge_width=0.25))
    assert stated["d"] == "M0,50V40H10V50zM20,30V20H30V30z"
    assert (stated["fill"], stated["stroke"], stated["stroke-width"]) == ("#abcdef", "white", "0.25")
    assert shown(Area((square,), "none", 1.0)) == []


def test_hatched_areas_share_one_pattern():
    square = np.array([(0, 0), (0, 10), (10, 10), (10, 0)])
    svg = to_svg(Drawing(100.0, 50.0, (Area((square,), "#abcdef", 1.0, hatched=True),) * 2), as_text=True)
    assert svg.count("<pattern ") == 1
    assert svg.count('fill="url(#hatch)"') == 2


@pytest.mark.parametrize(
    ("shape", "path"),
    [
        ("square", "M17,17H23V23H17z"),
        ("diamond", "M15.76,20L20,15.76L24.24,20L20,24.24z"),
        ("up", "M20,17L23,23H17z"),
        ("down", "M20,23L23,17H17z"),
        ("left", "M17,20L23,17V23z"),
        ("right", "M23,20L17,23V17z"),
    ],
)
def test_markers_stand_around_their_place(shape, path):
    line = Line(np.array([(20.0, 30.0)]), "#00f", 0, 1.0, marker=Marker(shape, 6.0, "white", 1.4))
    ((_, stated),) = shown(line)
    assert stated["d"] == path
    assert (stated["fill"], stated["stroke"], stated["stroke-width"]) == ("white", "#00f", "1.4")


def test_a_round_marker_is_a_circle_at_every_place():
    line = Line(np.array([(20.0, 30.0), (40.0, 10.0)]), "#00f", 2.0, 1.0, marker=Marker("circle", 5.0, "#00f"))
    path, *circles = shown(line)
    assert path[0] == "path"
    assert [(stated["cx"], stated["cy"], stated["r"]) for _, stated in circles] == [
        ("20", "20", "2.5"),
        ("40", "40", "2.5"),
    ]
    assert all("stroke" not in stated for _, stated in circles)
