"""WeasyPrint 70.0 with less work for the same pages: what it does anew for every line and letter is done once.

Some of its functions are replaced while a PDF is made, and only in the version that they were read in; with any other
one PDFs say the same and take longer.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from reportgen.render.written import once_a_page, packed

KNOWN = "70.0"
"""The version of WeasyPrint whose functions are replaced."""
_LETTER_BY_LETTER = (
    "alignment-baseline",
    "direction",
    "display-anchor",
    "dominant-baseline",
    "dx",
    "dy",
    "font-style",
    "letter-spacing",
    "lengthAdjust",
    "rotate",
    "textLength",
)
"""Attributes that texts of the figures have not: who states one gets WeasyPrint's own drawing."""
_NOTE = re.compile(r"float\s*:\s*(foot)?note")
_BREAK = re.compile("[\n\r\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}]")
_OF_NOTES = ("footnote-call", "footnote-marker", "note-call", "note-marker", "note-callback")
_PLAIN = {
    "font_feature_settings": "normal",
    "font_language_override": "normal",
    "font_variation_settings": "normal",
    "text_decoration_line": "none",
}
"""Properties that texts of the reports leave alone: lines for which one is set are made by WeasyPrint."""
_OF_DESCRIPTION = ("font_style", "font_stretch", "font_weight", "font_size", "font_variant_caps")
_OF_FEATURES = (
    "font_kerning",
    "font_variant_ligatures",
    "font_variant_position",
    "font_variant_caps",
    "font_variant_numeric",
    "font_variant_alternates",
    "font_variant_east_asian",
)
"""In the order of WeasyPrint's `font_features`."""
_TEXTS = ("a", "text", "textPath", "tspan")
"""Elements of SVG that WeasyPrint draws as text."""


@contextlib.contextmanager
def quicker(page: str) -> Iterator[None]:
    """Make the PDF of a page with less work. Not for two threads at a time, as WeasyPrint's fonts aren't either."""
    weasyprint = importlib.import_module("weasyprint")
    if weasyprint.__version__ != KNOWN:
        yield
        return
    svg = importlib.import_module("weasyprint.svg")
    lines = importlib.import_module("weasyprint.text.line_break")
    pydyf = importlib.import_module("pydyf")
    draw = _whole_lines(svg.text)
    replacements = [
        (weasyprint.HTML, "_ua_stylesheets", _without_notes(weasyprint.HTML._ua_stylesheets, page)),  # noqa: SLF001
        (svg, "text", draw),
        (svg, "TAGS", svg.TAGS | dict.fromkeys(_TEXTS, draw)),
        (lines.Layout, "setup", _context_once(lines.Layout.setup)),
        (lines.Layout, "set_text", _in_one_paragraph(lines.Layout.set_text)),
        (lines.Layout, "deactivate", _kept),
        (lines.Layout, "reactivate", _as_laid_out(lines.Layout.reactivate)),
        (lines, "_font_style_cache_key", _key_once(lines._font_style_cache_key)),  # noqa: SLF001
        (pydyf.PDF, "page_references", property(once_a_page(pydyf.PDF.page_references.fget))),
        (pydyf.Stream, "data", property(packed)),
    ]
    originals = [(owner, name, vars(owner)[name]) for owner, name, _ in replacements]
    try:
        for owner, name, replacement in replacements:
            setattr(owner, name, replacement)
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _without_notes(listed: Callable[..., list[Any]], page: str) -> Callable[..., list[Any]]:
    """Leave the styles of footnotes out of the default style sheet where a page has none.

    They apply to five made-up parts of every element, each of which gets a style computed.
    """

    def without(html: Any, forms: bool = False) -> list[Any]:  # noqa: FBT001, FBT002 -- called so
        sheets = listed(html, forms)
        return sheets if _NOTE.search(page) else [_without_pseudo_elements(sheet) for sheet in sheets]

    return without


def _without_pseudo_elements(sheet: Any) -> Any:
    slim = copy.copy(sheet)
    slim.matcher = copy.copy(sheet.matcher)
    slim.matcher.other_selectors = [one for one in sheet.matcher.other_selectors if one[3] not in _OF_NOTES]
    return slim


def _whole_lines(by_letters: Callable[[Any, Any, float], None]) -> Callable[[Any, Any, float], None]:
    """Draw a text of an SVG as one line, where nothing asks for its letters to be set apart.

    WeasyPrint lays out every letter twice for itself: in figures that were half of all layouts of a report. A line as
    a whole is kerned as well, as it is measured.
    """
    initial = importlib.import_module("weasyprint.css.properties").INITIAL_VALUES
    drawing = importlib.import_module("weasyprint.draw.text")
    matrix = importlib.import_module("weasyprint.matrix").Matrix
    split_first_line = importlib.import_module("weasyprint.text.line_break").split_first_line
    parts = importlib.import_module("weasyprint.svg.text")
    extended = importlib.import_module("weasyprint.svg.bounding_box").extend_bounding_box

    def draw(svg: Any, node: Any, font_size: float) -> None:
        place = [node.attrib.get(name, "") for name in ("x", "y")]
        weight = node.get("font-weight", "400")
        plain = node.tag == "text" and not len(node._etree_node) and all(map(_is_number, (*place, weight)))  # noqa: SLF001
        if not plain or not (node.text or "").strip() or any(name in node.attrib for name in _LETTER_BY_LETTER):
            by_letters(svg, node, font_size)
            return
        style = parts.Style(initial)
        style.font_config = svg.font_config
        style["font_family"] = [name.strip("\"'") for name in node.get("font-family", "sans-serif").split(",")]
        style["font_weight"] = int(weight)
        style["font_size"] = font_size
        x, y = map(float, place)
        layout, _, _, width, height, baseline = split_first_line(node.text, style, svg.context, math.inf, 0)
        corners = ((x, y - baseline), (x + width, y - baseline + height))
        node.text_bounding_box = extended(node.text_bounding_box, corners)
        svg.stream.push_state()
        fill, stroke = svg.set_graphical_state(node, font_size)
        svg.stream.begin_text()
        layout.reactivate(style)
        svg.fill_stroke(fill, stroke, text=True)
        box = parts.TextBox(layout, style)
        box.baseline = baseline
        emojis = drawing.draw_first_line(svg.stream, box, "none", "none", matrix(a=1, d=-1, e=x, f=y))
        svg.stream.end_text()
        svg.stream.pop_state()
        drawing.draw_emojis(svg.stream, style, x, y, emojis)

    return draw


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _context_once(setup: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Make Pango's context, and the description of a font, once for all lines of a language, not once a line."""
    native = importlib.import_module("weasyprint.text.ffi")
    fonts = importlib.import_module("weasyprint.text.fonts")
    ffi, pango = native.ffi, native.pango
    context_of = _remembered(_context, ("direction", "lang"))
    description_of = _remembered(fonts.get_font_description, _OF_DESCRIPTION)
    features_of = _remembered(_features, _OF_FEATURES)

    def quick(self: Any, style: Any) -> None:
        if any(style[name] != plain for name, plain in _PLAIN.items()):
            setup(self, style)
            return
        self.style = style
        self.first_line_direction = 0
        context, self.language = context_of(style)
        self.layout = ffi.gc(pango.pango_layout_new(context), native.gobject.g_object_unref)
        pango.pango_layout_set_auto_dir(self.layout, False)  # noqa: FBT003 -- C
        pango.pango_layout_set_font_description(self.layout, description_of(style))
        self.ascent = self.underline_position = self.strikethrough_position = None
        if asked := features_of(style):
            # Each line has a list of its own, since the text's is changed with it; WeasyPrint never frees its lists.
            attributes = ffi.gc(pango.pango_attr_list_new(), pango.pango_attr_list_unref)
            pango.pango_attr_list_insert(attributes, pango.pango_attr_font_features_new(asked))
            pango.pango_layout_set_attributes(self.layout, attributes)

    return quick


def _remembered(make: Callable[[Any], Any], names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Make something from a style once for the same font map, family and named properties."""
    known: dict[tuple[Any, ...], Any] = {}

    def remembered(style: Any) -> Any:
        key = (style.font_config.font_map, *style["font_family"], *[style[name] for name in names])
        if key not in known:
            known[key] = make(style)
        return known[key]

    return remembered


def _context(style: Any) -> tuple[Any, Any]:
    """Return a context of Pango and its language, as WeasyPrint makes them for each line."""
    native = importlib.import_module("weasyprint.text.ffi")
    directions = importlib.import_module("weasyprint.text.constants").PANGO_DIRECTION
    pango = native.pango
    context = native.ffi.gc(
        pango.pango_font_map_create_context(style.font_config.font_map), native.gobject.g_object_unref
    )
    pango.pango_context_set_round_glyph_positions(context, False)  # noqa: FBT003 -- C
    pango.pango_context_set_base_dir(context, directions[style["direction"]])
    if not style["lang"]:
        return context, pango.pango_language_get_default()
    tag, _ = native.unicode_to_char_p(style["lang"])
    language = pango.pango_language_from_string(tag)
    pango.pango_context_set_language(context, language)
    return context, language


def _features(style: Any) -> bytes:
    """Return the features of a font that a style asks for, as Pango takes them."""
    fonts = importlib.import_module("weasyprint.text.fonts")
    features = fonts.font_features(*[style[name] for name in _OF_FEATURES])
    return ",".join(f"{name} {value}" for name, value in features.items()).encode()


def _in_one_paragraph(set_text: Callable[..., None]) -> Callable[..., None]:
    """Say at once that a text is one paragraph, where it is: said when it is drawn, it would be laid out again."""
    pango = importlib.import_module("weasyprint.text.ffi").pango

    def one(self: Any, text: str, justify: bool = False) -> None:  # noqa: FBT001, FBT002 -- called so
        pango.pango_layout_set_single_paragraph_mode(self.layout, _BREAK.search(text) is None)
        set_text(self, text, justify)

    return one


def _kept(_: Any) -> None:
    """Keep a line as it was laid out, instead of laying it out again when it is drawn."""


def _as_laid_out(again: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Draw a line as it was laid out, but lay it out again where it is to be justified."""
    pango = importlib.import_module("weasyprint.text.ffi").pango

    def reactivate(self: Any, style: Any) -> None:
        if self.justification_spacing:
            again(self, style)
        elif self.get_first_line()[1] is not None:
            pango.pango_layout_set_width(self.layout, -1)  # as WeasyPrint draws: a line is never broken then

    return reactivate


def _key_once(made: Callable[..., str]) -> Callable[..., str]:
    """Write down what tells two faces apart once a style, not once a line: styles stay as they were computed."""

    def key(style: Any, include_size: bool = False) -> str:  # noqa: FBT001, FBT002 -- called so
        name = "_key_with_size" if include_size else "_key_of_face"
        known: str | None = getattr(style, name, None)
        if known is None:
            known = made(style, include_size)
            setattr(style, name, known)
        return known

    return key
