"""Names of columns on pages and in figures: none is lost, none looks like another, no label breaks a line."""

import unicodedata
import urllib.parse

import pytest

from reportgen.figures.labels import legible
from reportgen.model import Measured, Score
from reportgen.render.attacks import answer, halves, rates_figure, rates_table
from reportgen.render.column_names import column_names
from reportgen.render.data_card import data_card
from reportgen.render.view import Numbering


def named(make, *names):
    """A result whose columns are called so."""
    column = make().columns[0]
    return make(columns=tuple(column.model_copy(update={"name": name}) for name in names))


def drawn(make, *names):
    found = column_names(named(make, *names))
    return [found.drawn(name) for name in names]


@pytest.mark.parametrize("name", ["age", "café naïve", "ηλικία", "возраст", "petal length (cm)", "€", "x≥1"])
def test_a_name_that_the_face_has_is_drawn_as_it_is(make, name):
    assert drawn(make, "first", name) == ["first", name]
    assert column_names(named(make, name)).written(name) == name


def test_names_that_the_face_lacks_are_drawn_by_their_number_in_the_file(make):
    names = ("age", "年齢", "収入", "pay", "الراتب", "🧬")
    assert drawn(make, *names) == ["age", "column 2", "column 3", "pay", "column 5", "column 6"]
    found = column_names(named(make, *names))
    assert [found.written(name) for name in names[:3]] == ["age", "年齢 (column 2)", "収入 (column 3)"]


def test_accents_written_apart_are_drawn_as_one_letter(make):
    assert drawn(make, unicodedata.normalize("NFD", "état")) == ["état"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("line\nbreak", "line\\nbreak"),
        ("tab\there", "tab\\there"),
        ("bell\x07", "bell\\x07"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
    ],
)
def test_what_breaks_a_line_or_shows_nothing_is_escaped(make, name, label):
    assert drawn(make, name) == [label]


@pytest.mark.parametrize(
    "names",
    [
        ("age", "age "),
        ("pay net", "pay\N{NO-BREAK SPACE}net"),
        ("a\nb", "a\\nb"),
        ("état", unicodedata.normalize("NFD", "état")),
        ("x" * 30 + "1" + "x" * 30, "x" * 30 + "2" + "x" * 30),
        ("年齢", "column 1"),
        ("column 2", "年齢"),
        ("", " "),
    ],
)
def test_no_two_columns_look_alike_in_a_figure(make, names):
    assert drawn(make, *names) == ["column 1", "column 2"]
    found = column_names(named(make, *names))
    assert [found.written(name)[-11:] for name in names] == [" (column 1)", " (column 2)"]


def test_ten_thousand_columns_each_have_a_label_of_their_own(make):
    labels = drawn(make, *(f"{'年' if place % 2 else 'c'}{place}" for place in range(10_000)))
    assert len(set(labels)) == 10_000
    assert all(legible(label) == label for label in labels)


HOSTILE = ("年齢", "収入", "line\nbreak", "bell\x07", "\u202egnp.exe", "plain")


@pytest.fixture
def attacked(make):
    """The result and an inference attack on each of its columns, the first the worst."""
    scores = {"attacks": Score(value=2000, unit="count", better="context")}
    for prefix, value in (("", 0.6), *((f"column:{name}:", 0.6 - place / 20) for place, name in enumerate(HOSTILE))):
        one = Score(value=value, low=value - 0.1, high=value + 0.1, unit="share", better="lower")
        rates = {"attack_rate": one, "control_rate": one, "risk": one, "p_value": one}
        scores |= {f"{prefix}{name}": score for name, score in rates.items()}
        scores[f"{prefix}baseline_rate"] = Score(value=0.1, unit="share", better="context")
    return named(make, *HOSTILE), Measured(scores=scores)


def test_figure_table_and_words_tell_the_same_columns_apart(attacked):
    result, metric = attacked
    (figure,) = rates_figure("inference", metric, result, "paper", Numbering())
    svg = urllib.parse.unquote(figure.picture.wide)
    for label in ("column 1", "column 2", "line\\nbreak", "bell\\x07", "\\u202egnp.exe", "plain"):
        assert svg.count(f">{label}</text>") == 1
    assert "?" not in svg
    assert "stands by its number in the original" in figure.note
    written = ["年齢 (column 1)", "収入 (column 2)", "line\\nbreak", "bell\\x07", "\\u202egnp.exe", "plain"]
    table = rates_table("inference", metric, result, Numbering())
    assert [row[0].text for row in table.rows] == written
    card = data_card(result, Numbering()).tables[1]
    assert [row[0].text for row in card.rows] == written
    assert all(f"{name}: " in figure.picture.alternative for name in written)
    assert figure.caption.startswith("年齢 (column 1) first")
    assert answer("inference", metric, result).startswith("Worst is column 年齢 (column 1): ")
    assert all(name in ", ".join(halves(result)) for name in written)


def test_a_figure_of_plain_names_has_no_word_on_numbers(attacked, make):
    result = named(make, "plain", "年齢")
    scores = {name: one for name, one in attacked[1].scores.items() if not name.startswith("column:")}
    scores |= {name: one for name, one in attacked[1].scores.items() if name.startswith("column:plain:")}
    (figure,) = rates_figure("inference", Measured(scores=scores), result, "paper", Numbering())
    assert "number" not in figure.note
