"""Contrast by WCAG 2.2's formula, worked out from the colours that style sheets and figures use."""

import re

import pytest

from reportgen._resources import resource
from reportgen.figures import style

TEXT, GRAPHICS = 4.5, 3.0
"""Success criteria 1.4.3 (text) and 1.4.11 (parts of graphics)."""
WORDS = ("ink", "muted", "link", "high", "moderate", "low", "inconclusive")


def variables(name, scheme):
    """The custom properties of a style sheet: those of the block under a media query, or of `:root` without one."""
    css = resource("assets", "css", f"{name}.css").read_text(encoding="utf-8")
    css = css[css.index("prefers-color-scheme: dark") :] if scheme == "dark" else css
    return dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6})", css))


@pytest.fixture(scope="module")
def schemes():
    light = variables("variables", "light")
    return {"light": light, "dark": light | variables("screen", "dark")}


def luminance(colour):
    def linear(channel):
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_formula_gives_the_known_values():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.478, abs=0.001)  # the grey that just fails


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", WORDS)
def test_every_colour_of_words_stands_out_from_the_paper(schemes, scheme, name):
    assert contrast(schemes[scheme][name], schemes[scheme]["paper"]) >= TEXT


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_symbol_of_a_high_risk_stands_out_from_its_square(schemes, scheme):
    assert contrast(schemes[scheme]["on-solid"], schemes[scheme]["high"]) >= TEXT


def test_words_in_figures_stand_out_in_both_schemes(schemes):
    for scheme in schemes.values():
        for colour in (style.INK, style.MUTED, style.REFERENCE_WORDS, style.SYNTHETIC_WORDS):
            for ground in (scheme["figure-paper"], style.SHADE, style.REFERENCE_FILL, style.SYNTHETIC_FILL):
                assert contrast(colour, ground) >= TEXT


def test_lines_of_figures_stand_out_from_what_they_cross():
    for line in (style.REFERENCE, style.SYNTHETIC):
        for ground in ("#FFFFFF", style.SHADE, style.REFERENCE_FILL):
            assert contrast(line, ground) >= GRAPHICS


@pytest.mark.parametrize("steps", [style.REFERENCE_STEPS, style.SYNTHETIC_STEPS])
def test_each_shade_of_cells_is_darker_than_the_one_before(steps):
    values = [luminance(shade) for shade in steps]
    assert values == sorted(values, reverse=True)
    assert contrast(steps[-1], steps[0]) >= TEXT


def test_colours_are_those_of_the_design(schemes):
    light = schemes["light"]
    assert (light["high"], light["moderate"], light["low"]) == ("#B3261E", "#8A5A00", "#1B6E3C")
    assert (style.REFERENCE, style.SYNTHETIC) == ("#0072B2", "#D55E00")
