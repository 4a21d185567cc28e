"""Histograms, grids and words for the figures, made here."""

import itertools

import numpy as np
import pytest
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

from reportgen.figures import style
from reportgen.figures.labels import FigureText, Threshold
from reportgen.figures.marks import Line, Words
from reportgen.model import Cells, Histogram, Quantiles


def make_histogram(edges, counts, zero_count=0):
    counts = tuple(int(count) for count in counts)
    return Histogram(
        edges=tuple(float(edge) for edge in edges),
        counts=counts,
        quantiles=Quantiles(levels=(), values=()),
        zero_count=zero_count,
        n=sum(counts),
    )


@pytest.fixture(scope="session")
def histogram():
    return make_histogram


@pytest.fixture(scope="session")
def words():
    return FigureText(
        x_label="r, distance to the closest row ÷ distance to the second closest",
        x_label_narrow="r, closest ÷ second closest distance",
        y_label="original rows in a bin, %",
        reference="against the holdout rows, n = 2,000",
        synthetic="against the synthetic rows, n = 2,000",
        zero="zero",
        legend="rows in a cell",
    )


@pytest.fixture(scope="session")
def threshold():
    return Threshold(0.23, "2.5th percentile of the holdout, 0.230:\n10.4 % of the rows here, 2.5 % in the holdout")


@pytest.fixture(scope="session")
def skewed():
    """Two ratio histograms, rising to the right; 99 of the 2,000 synthetic ratios are exactly zero."""
    weights = np.arange(1, 41) ** 2
    counts = np.floor(2000 * weights / weights.sum()).astype(int)
    counts[0] = 5
    counts[-1] += 2000 - counts.sum()
    leaking = counts.copy()
    leaking[0] += 95
    leaking[-1] -= 95
    edges = np.arange(41) / 40
    return make_histogram(edges, counts), make_histogram(edges, leaking, 99)


@pytest.fixture(scope="session")
def grid():
    def make(counts, x_edges=None):
        counts = tuple(tuple(int(count) for count in row) for row in counts)
        x_edges = x_edges or tuple(float(x) for x in range(len(counts[0]) + 1))
        y_edges = tuple(round(y / len(counts), 3) for y in range(len(counts) + 1))
        return Cells(x_edges=x_edges, y_edges=y_edges, counts=counts)

    return make


class Drawn:
    """What a figure shows, in points: found by the names that the drawing code gives to its marks."""

    def __init__(self, drawing):
        self.drawing = drawing
        self.renderer = RendererBase()

    def all_texts(self):
        return [mark for mark in self.drawing.marks if isinstance(mark, Words)]

    def texts(self, name):
        return [text for text in self.all_texts() if text.name == name]

    def lines(self, name):
        return [mark for mark in self.drawing.named(name) if isinstance(mark, Line)]

    def extent(self, words):
        """Box of one line of text: as wide as matplotlib says, as high as the face's letters (not its line gap)."""
        text = Text(
            words.x,
            words.y,
            words.text,
            fontproperties=style.face(words.size, bold=words.bold),
            ha=words.align,
            va="baseline",
            rotation=90 if words.turned else 0,
            rotation_mode="anchor",
            parse_math=False,
        )
        text.set_figure(Figure(dpi=72))
        text.set_transform(IdentityTransform())
        box = text.get_window_extent(self.renderer)
        if words.turned:
            return Bbox([[words.x - 0.73 * words.size, box.y0], [words.x + 0.21 * words.size, box.y1]])
        return Bbox([[box.x0, words.y - 0.21 * words.size], [box.x1, words.y + 0.73 * words.size]])

    def extents(self, name):
        """One extent a line of text."""
        return [self.extent(text) for text in self.texts(name)]

    def line(self, name):
        found = self.lines(name)
        assert len(found) == 1, name
        return found[0].places

    def has_line(self, name):
        return bool(self.lines(name))

    def y_of(self, value):
        """Height of a value on the y axis, by its tick labels."""
        ticks = {text.text: self.extent(text) for text in self.texts("y-tick")}
        zero, top = ticks["0"], max((float(word), box) for word, box in ticks.items())
        per = (top[1].y0 - zero.y0) / top[0]
        return self.foot + per * value

    @property
    def foot(self):
        return self.frame[1]

    @property
    def frame(self):
        """Left, bottom, right and top of the spines."""
        spine = self.line("frame")
        return spine[:, 0].min(), spine[:, 1].min(), spine[:, 0].max(), spine[:, 1].max()

    def collisions(self):
        """Pairs of names whose lines of text share an area, one apart lines of the same label."""
        boxes = [(text.name, text, self.extent(text)) for text in self.all_texts()]
        return [
            (a[0], b[0])
            for a, b in itertools.combinations(boxes, 2)
            if a[2].x0 < b[2].x1 - 0.3
            and b[2].x0 < a[2].x1 - 0.3
            and a[2].y0 < b[2].y1 - 0.3
            and b[2].y0 < a[2].y1 - 0.3
        ]

    def outside(self):
        """Names of texts that leave the figure."""
        width, height = self.drawing.width, self.drawing.height
        boxes = [(text.name, self.extent(text)) for text in self.all_texts()]
        return [
            name
            for name, box in boxes
            if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > width + 0.5 or box.y1 > height + 0.5
        ]

    def crossed(self):
        """Pairs of a series label and a curve, or the threshold's line, that runs through it."""
        found = []
        for name in ("reference", "synthetic", "threshold"):
            for box in self.extents(name):
                for curve in ("reference", "synthetic", "threshold"):
                    if curve == name == "threshold" or not self.has_line(curve):
                        continue
                    data = self.line(curve)
                    part = np.linspace(0, 1, 200)[:, None, None]
                    points = (data[:-1] + part * (data[1:] - data[:-1])).reshape(-1, 2)
                    inside = (points > (box.x0, box.y0)) & (points < (box.x1, box.y1))
                    if inside.all(axis=1).any():
                        found.append((name, curve))
        return found


@pytest.fixture(scope="session")
def drawn():
    return Drawn
