"""The user's own look: what it changes, what it may not, and that the report says whose it is."""

import io
import re
import struct
import zlib

import pikepdf
import pytest
from PIL import Image

from reportgen import api
from reportgen.errors import InputError
from reportgen.render import RenderedBy, render
from reportgen.render.contrast import contrast, difference
from reportgen.render.drawn import PLAIN
from reportgen.render.made_by import made_by, read_line
from reportgen.render.own_colours import APART, LEVELS, packaged
from reportgen.render.own_look import make_look
from reportgen.render.page import environment, packaged_templates, render_template
from reportgen.running import make_running

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10">{}</svg>'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(template_dir=None, **table):
    return make_look(make_running({"look": table}).look, template_dir)


def templates(folder, **sources):
    """Write templates, named with _ for /, and make the look of them."""
    for name, source in sources.items():
        path = folder / "own" / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return look("own")


def drawn(rendering, own):
    return RenderedBy(rendering.tool_version, rendering.versions, own)


def svg(folder, content, name="logo.svg"):
    (folder / name).write_text(content, encoding="utf-8")
    return look(logo=name, logo_alternative="A logo").logo


def png(width=40, height=20, mode="RGBA", **more):
    stream = io.BytesIO()
    Image.new(mode, (width, height), "#00467A" if mode != "L" else 0).save(stream, "PNG", **more)
    return stream.getvalue()


# ------------------------------------------------------------------------------------------------------------ colours


def test_differences_of_colours_are_those_of_the_literature():
    assert difference("#FFFFFF", "#000000") == pytest.approx(100, abs=0.01)
    assert difference("#FF0000", "#FF0000") == 0
    # Red and green of sRGB lie at L*a*b* (53.24, 80.09, 67.20) and (87.73, -86.18, 83.18): the distance is 170.57.
    assert difference("#FF0000", "#00FF00") == pytest.approx(170.57, abs=0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_packaged_colours_would_be_accepted_as_own_ones(scheme):
    colours = packaged(scheme)
    names = {"text": "ink", "secondary": "muted", "accent": "link", **{level: level for level in LEVELS}}
    made = look(**{scheme: {key: colours[name] for key, name in names.items()}})
    assert dict(getattr(made, scheme))["ink"] == colours["ink"]


@pytest.mark.parametrize(
    ("scheme", "key", "colour", "measured"),
    [
        # #777777 on the tint #F4F5F6: luminances 0.1845 and 0.9119, so 0.9619 / 0.2345 = 4.102; on white 4.478.
        ("light", "accent", "#777777", "4.10 : 1"),
        ("light", "secondary", "#FFFFFF", "1.00 : 1"),
        ("dark", "text", "#16181B", "1.00 : 1"),
        ("light", "high", "#ff8080", ""),
    ],
)
def test_faint_colours_are_refused_with_what_was_measured(scheme, key, colour, measured):
    with pytest.raises(InputError) as caught:
        look(**{scheme: {key: colour}})
    text = str(caught.value)
    assert text.startswith(f"look.{scheme}.{key}: {colour.upper()} on #")
    assert measured in text
    assert "text needs 4.5 : 1" in text
    assert "\n" not in text


def test_contrast_just_short_is_never_printed_as_enough():
    # 4.495 would be rounded to 4.50.
    ground = packaged("light")["tint"]
    grey = next(f"#{v:02X}{v:02X}{v:02X}" for v in range(90, 130) if contrast(f"#{v:02X}{v:02X}{v:02X}", ground) < 4.5)
    with pytest.raises(InputError, match=re.escape("4.") + "[0-4]"):
        look(light={"accent": grey})


def test_colours_of_verdicts_stay_apart():
    with pytest.raises(InputError) as caught:
        look(light={"low": "#B3261E"})
    assert str(caught.value).startswith("look.light.low: #B3261E can hardly be told from the colour of high, #B3261E")
    assert f"must be {APART:g}" in str(caught.value)
    with pytest.raises(InputError, match=r"look\.dark\.high: .* of moderate"):
        look(dark={"high": "#F0B94F"})
    assert look(light={"low": "#006b2d"}).light == (("low", "#006B2D"),)


@pytest.mark.parametrize("colour", ["red", "#fff", "#12345", "#12345G", "#123456; } body {", 3])
def test_a_colour_has_six_digits(colour):
    with pytest.raises(InputError, match=r"setting 'look\.light\.accent': ") as caught:
        look(light={"accent": colour})
    assert "\n" not in str(caught.value)


def test_colours_stand_in_the_page_of_their_scheme_alone(results, rendering):
    own = drawn(rendering, look(light={"accent": "#00566b"}, dark={"accent": "#7FD1E6"}))
    page = render("a.summary.html", results["low"], own).decode()
    assert page.count("--accent: #00566B; --link: #00566B;") == 1
    dark = page.index("--accent: #7FD1E6;")
    assert page.rindex("<style", 0, dark) == page.index('<style media="screen">\n@media (prefers-color-scheme: dark)')
    # The packaged dark colours come after the own light ones, or they would be light in the dark as well.
    assert page.index("#00566B") < page.index("--accent: #E6E8EA") < dark


# --------------------------------------------------------------------------------------------------------------- logo


def test_a_logo_is_put_into_every_page_with_its_words(results, rendering, folder):
    (folder / "logo.svg").write_text(SVG.format('<rect width="30" height="10"/>'))
    own = drawn(rendering, look(logo="logo.svg", logo_alternative='The "Register" <1>'))
    for name in ("a.html", "a.summary.html"):
        page = render(name, results["low"], own).decode()
        assert page.count('<img class="logo" src="data:image/svg+xml;base64,') == 1
        assert 'alt="The &#34;Register&#34; &lt;1&gt;"' in page


@pytest.mark.parametrize(
    ("inside", "part"),
    [
        ("<script>1</script>", "'script'"),
        ("<text>words</text>", "draw its letters as paths"),
        ("<foreignObject/>", "'foreignObject'"),
        ("<image href='data:image/png;base64,'/>", "'image'"),
        ("<rect onload='1'/>", "an attribute 'onload'"),
        ("<use href='http://example.org/x.svg#a'/>", "outside of the file"),
        ("<use xmlns:x='http://www.w3.org/1999/xlink' x:href='//example.org/a'/>", "outside of the file"),
        ("<rect fill='url(http://example.org/#a)'/>", "outside of the file"),
        ("<rect style='fill: u\\72l(x)'/>", "outside of the file"),
        ("<style>@import 'x.css';</style>", "style sheet"),
        ("<style>rect { fill: url( 'x' ) }</style>", "style sheet"),
        ("<animate attributeName='x'/>", "'animate'"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'/>", "of another language"),
        ("<a href='#x'/>", "'a'"),
    ],
)
def test_a_logo_only_draws(folder, inside, part):
    with pytest.raises(InputError, match=re.escape(part)) as caught:
        svg(folder, SVG.format(inside))
    assert str(caught.value).startswith("logo.svg: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "neither a PNG nor an SVG"),
        (b"\xff\xd8\xff\xe0 a JPEG", "neither a PNG nor an SVG"),
        (b"<html></html>", "outermost element"),
        (b"<svg></svg>", "outermost element"),
        (b'<svg xmlns="http://www.w3.org/2000/svg" width="3"/>', "its shape is not known"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format("&a;").encode(), "document type"),
        (SVG.format("<g>").encode(), "neither a PNG nor an SVG"),
        (b" " * (256 * 1024 + 1), "larger than"),
        (png()[:-20], "damaged"),
        (png().replace(b"IDAT", b"IDAX"), "damaged"),
        (png(4001, 1), "at most 4000 pixels"),
        (b"\x89PNG\r\n\x1a\n", "damaged"),
    ],
)
def test_a_file_that_is_no_logo_is_refused(folder, content, part):
    (folder / "l").write_bytes(content)
    with pytest.raises(InputError, match=part) as caught:
        look(logo="l", logo_alternative="A logo")
    assert str(caught.value).startswith("l: ")


def test_a_png_with_parts_that_do_not_fit_is_damaged(folder):
    header = struct.pack(">I4s", 13, b"IHDR") + struct.pack(">IIBBBBB", 5, 5, 8, 2, 0, 0, 0)
    header += struct.pack(">I", zlib.crc32(header[4:]))
    end = struct.pack(">I4sI", 0, b"IEND", zlib.crc32(b"IEND"))
    (folder / "l.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + end)  # no picture at all
    with pytest.raises(InputError, match=r"l\.png: a damaged PNG"):
        look(logo="l.png", logo_alternative="A logo")


def test_references_within_a_logo_are_kept(folder):
    inside = '<defs><linearGradient id="g"><stop/></linearGradient></defs><rect fill="url(#g)"/><use href="#g"/>'
    assert svg(folder, SVG.format(inside)).content == SVG.format(inside).encode()
    assert svg(folder, SVG.format("<style>rect { fill: url( '#g' ) }</style>"))


def test_a_png_keeps_its_picture_and_loses_the_rest(folder):
    from PIL.PngImagePlugin import PngInfo

    notes = PngInfo()
    notes.add_text("Author", "A. Person")
    (folder / "logo.png").write_bytes(png(pnginfo=notes))
    made = look(logo="logo.png", logo_alternative="A logo").logo
    assert b"A. Person" in png(pnginfo=notes)
    assert b"A. Person" not in made.content
    with Image.open(io.BytesIO(made.content)) as picture:
        assert picture.size == (40, 20)


def test_logo_and_its_words_belong_together(folder):
    for table in ({"logo": "x.svg"}, {"logo_alternative": "A logo"}):
        with pytest.raises(InputError, match="setting 'look': logo and logo_alternative belong together"):
            look(**table)
    with pytest.raises(InputError, match=r"x\.svg: cannot be read"):
        look(logo="x.svg", logo_alternative="A logo")


@pytest.mark.parametrize("kind", ["svg", "png", "grey png"])
def test_a_logo_leaves_page_one_and_the_summary_one_page_each(results, rendering, folder, kind):
    (folder / "logo").write_bytes(
        SVG.format('<rect width="30" height="10"/>').encode()
        if kind == "svg"
        else png(800, 800, "L" if kind == "grey png" else "RGBA")
    )
    own = drawn(rendering, look(logo="logo", logo_alternative="A logo"))
    with pikepdf.open(io.BytesIO(render("a.summary.pdf", results["crowded"], own))) as document:
        assert len(document.pages) == 1


# ---------------------------------------------------------------------------------------------------------- templates


def test_one_template_takes_the_place_of_its_namesake_and_the_others_stay(results, rendering, folder):
    own = templates(folder, sections__method="<section id='method'><h2>Our method</h2></section>")
    page = render("a.html", results["low"], drawn(rendering, own)).decode()
    plain = render("a.html", results["low"], rendering).decode()
    assert "<h2>Our method</h2>" in page
    assert "Our method" not in plain
    assert page.count('<section class="section"') == plain.count('<section class="section"') - 1


def test_a_template_can_add_to_the_packaged_one(results, rendering, folder):
    own = templates(
        folder,
        sections__method='{% include "packaged/sections/method.html" %}{% include "ours/note.html" %}',
        ours__note="<p>{{ report.title }} by us</p>",
    )
    page = render("a.html", results["low"], drawn(rendering, own)).decode()
    assert 'id="method"' in page
    assert "<p>Census extract for the open-data portal by us</p>" in page


def test_what_is_put_into_an_own_template_is_escaped(results, rendering, folder):
    own = templates(folder, sections__method="<p>{{ report.title }}</p>")
    page = render("a.html", results["hostile"], drawn(rendering, own)).decode()
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("a\n{% if %}", "template sections/method.html, line 2: Expected an expression"),
        ("\n\n{{ report.title|nofilter }}", "template sections/method.html, line 3: No filter named 'nofilter'"),
        ("{{ reprot }}", "template sections/method.html, line 1: 'reprot' is undefined (did you mean 'report'?)"),
        ("x\n{% include 'none.html' %}", None),
        (
            "{% for x in report.contents %}\n{{ x }}",
            "template sections/method.html, line 2: Unexpected end of template",
        ),
    ],
)
def test_faults_that_need_no_result_are_found_at_once(folder, source, fault):
    if fault is None:
        assert templates(folder, sections__method=source).own  # a missing template is found when it is asked for
        return
    with pytest.raises(InputError) as caught:
        templates(folder, sections__method=source)
    assert str(caught.value).startswith(fault)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("x\n\n{{ report.titel }}", "line 3: 'reportgen.render.context.Report object' has no attribute 'titel'"),
        ("{% include 'none.html' %}", "line 1: there is no template 'none.html'"),
        ("x\n{% include 'sections/method.html' %}", "the templates use each other without end"),
        ("{{ report.title / 2 }}", "line 1: cannot be filled (TypeError)"),
        ("{{ report.__class__ }}", "line 1: access to attribute '__class__' of 'Report' object is unsafe"),
        ("{{ ''.format.__globals__ }}", "line 1: access to attribute '__globals__'"),
        ("{{ report.contents[99].title }}", "line 1: "),
    ],
)
def test_faults_that_show_when_the_page_is_made_name_file_and_line(results, rendering, folder, source, fault):
    own = drawn(rendering, templates(folder, sections__method=source))
    for name in ("a.html", "a.pdf"):
        with pytest.raises(InputError) as caught:
            render(name, results["low"], own)
        assert str(caught.value).startswith("template sections/method.html, line ")
        assert fault in str(caught.value)
        assert "\n" not in str(caught.value)
        assert results["low"].title not in str(caught.value)


def test_a_fault_in_a_macro_names_the_macro(results, rendering, folder):
    own = templates(folder, macros__notes="{% macro side_note(note, heading) %}\n{{ note.nothing }}\n{% endmacro %}")
    with pytest.raises(InputError, match=r"^template macros/notes\.html, line 2: .*'nothing'"):
        render("a.html", results["low"], drawn(rendering, own))


@pytest.mark.parametrize(
    ("make_folder", "part"),
    [
        (lambda _: None, "own: is no folder"),
        (lambda own: own.write_text("x"), "own: is no folder"),
        (lambda own: own.mkdir(), "own: holds no template"),
        (lambda own: (own / "sections").mkdir(parents=True) or (own / "sections" / "metod.html").write_text("x"),
         "template sections/metod.html: no template of reportgen is called so (did you mean 'sections/method.html'?)"),
        (lambda own: own.mkdir() or (own / "summary.html").write_bytes(b"\xff"), "template summary.html: not UTF-8"),
        (lambda own: own.mkdir() or (own / "summary.html").write_bytes(b" " * 2**21), "summary.html: larger than"),
    ],
)  # fmt: skip
def test_a_folder_that_holds_no_templates_is_refused(folder, make_folder, part):
    make_folder(folder / "own")
    with pytest.raises(InputError) as caught:
        look("own")
    assert str(caught.value).startswith(part)


def test_other_files_are_left_alone(folder):
    own = templates(folder, summary='{% include "packaged/summary.html" %}')
    (folder / "own" / "README.md").write_text("words")
    (folder / "own" / ".hidden").mkdir()
    (folder / "own" / ".hidden" / "x.html").write_text("{% if %}")
    assert look("own") == own


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ("<script>1</script>", "hold a script"),
        ("<script src='https://example.org/x.js'></script>", "hold a script"),
        ("<img src='https://example.org/x.png' alt=''>", "load something by 'src'"),
        ("<img src='x.png' alt=''>", "load something by 'src'"),
        ("<p onclick='1'>x</p>", "hold an attribute 'onclick'"),
        ("<iframe srcdoc='x'></iframe>", "hold an element 'iframe'"),
        ("<link rel='stylesheet' href='data:text/css,'>", "hold an element 'link'"),
        ("<form></form>", "hold an element 'form'"),
        ("<a href='javascript:1'>x</a>", "hold an address"),
        ("<svg><use href='http://example.org/#a'></use></svg>", "hold an address"),
        ("<style>@import 'x.css';</style>", "load something by a style"),
        ("<p style='background: url(//example.org/x)'>x</p>", "load something by a style"),
        ("<meta http-equiv='refresh' content='0'>", "hold an element 'meta'"),
        ("<meta name='generator' content='another'>", "leave out the line that names what made the page"),
    ],
)
@pytest.mark.parametrize("name", ["a.summary.html", "a.summary.pdf"])
def test_a_page_that_runs_or_loads_is_refused(results, rendering, folder, added, fault, name):
    own = templates(folder, partials__badge=f'{{% include "packaged/partials/badge.html" %}}{added}')
    with pytest.raises(InputError, match=f"^the templates of --template-dir {re.escape(fault)}"):
        render(name, results["low"], drawn(rendering, own))


def test_links_and_pictures_within_the_page_are_allowed(results, rendering, folder):
    picture = "<img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>"
    added = f"<a href='https://example.org'>Our procedure</a>{picture}<style>.x {{ fill: url(#a) }}</style>"
    own = templates(folder, partials__badge=f'{{% include "packaged/partials/badge.html" %}}{added}')
    assert b"Our procedure" in render("a.summary.html", results["low"], drawn(rendering, own))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("partials__badge", "<p>Fine!</p>"),
        ("partials__badge", "<p>{{ first.word }}</p>"),
        ("partials__badge", "<p>{{ first.symbol }} High</p>"),
        ("partials__head", "<title>x</title>"),
        ("sections__provenance", "<p>Nothing.</p>"),
    ],
)
def test_a_page_that_leaves_out_the_verdict_or_what_verify_needs_is_refused(results, rendering, folder, name, source):
    own = templates(folder, **{name: source})
    with pytest.raises(InputError, match=r"^the templates of --template-dir leave out "):
        render("a.html", results["low"], drawn(rendering, own))


def test_a_verdict_in_a_comment_or_style_is_no_verdict(results, rendering, folder):
    hidden = "<!-- {{ first.word }} {{ first.symbol }} --><style>/* {{ first.word }} {{ first.symbol }} */</style>"
    own = templates(folder, partials__badge=hidden)
    with pytest.raises(InputError, match="leave out"):
        render("a.summary.html", results["inconclusive"], drawn(rendering, own))


# --------------------------------------------------------------------------------------------------------- provenance


def test_the_line_of_the_maker_tells_an_own_look_and_its_digest(rendering, folder):
    first = templates(folder, sections__method="one")
    second = templates(folder, sections__method="two")
    lines = [made_by(drawn(rendering, one)).line("0" * 64) for one in (PLAIN, first, second)]
    assert len(set(lines)) == 3
    assert ["(own look)" in line for line in lines] == [False, True, True]
    for one, line in zip((PLAIN, first, second), lines, strict=True):
        assert read_line(line) == (made_by(drawn(rendering, one)), "0" * 64)


def test_every_part_of_a_look_changes_the_digest(folder):
    (folder / "a.svg").write_text(SVG.format("<rect/>"))
    (folder / "b.svg").write_text(SVG.format("<path/>"))
    made = [
        look(),
        look(light={"accent": "#00566B"}),
        look(light={"accent": "#00467A"}),
        look(dark={"accent": "#7FD1E6"}),
        look(logo="a.svg", logo_alternative="A"),
        look(logo="b.svg", logo_alternative="A"),
        look(logo="a.svg", logo_alternative="B"),
        templates(folder, summary='{% include "packaged/summary.html" %}'),
    ]
    assert len({one.digest for one in made}) == len(made)
    assert [one.own for one in made] == [False] + [True] * 7
    assert made[0] is PLAIN


def test_report_and_summary_name_what_is_not_packaged(results, rendering, folder):
    (folder / "a.svg").write_text(SVG.format("<rect/>"))
    templates(folder, sections__method='{% include "packaged/sections/method.html" %}')
    own = drawn(rendering, look("own", logo="a.svg", logo_alternative="A", light={"accent": "#00566B"}))
    words = "own templates (sections/method.html), own colours (light.accent), own logo; templates digest "
    for name in ("a.html", "a.summary.html"):
        assert words + made_by(own).templates in render(name, results["low"], own).decode()
        assert "templates digest" not in render(name, results["low"], rendering).decode()


def test_the_packaged_look_is_unchanged_by_the_sandbox(results, rendering, folder):
    """A template that only includes the packaged one gives the same page but for what says so."""
    own = drawn(rendering, templates(folder, sections__method='{% include "packaged/sections/method.html" %}'))
    page, plain = (render("a.html", results["leaky"], one).decode() for one in (own, rendering))
    line = re.compile(r'<meta name="generator"[^>]*>|  <tr><th scope="row">Look</th>.*</tr>\n')
    assert line.sub("", page) == line.sub("", plain)


def test_pages_of_several_releases_are_held_against_the_same_promises(folder):
    own = templates(folder, partials__head="<title>{{ title }}</title><script>1</script>")
    with pytest.raises(InputError, match="hold a script"):
        render_template(
            "partials/head.html", "screen", "inline", own, title="x", description="x", created="x", generator="x"
        )


def test_every_packaged_template_is_found_and_compiles():
    names = packaged_templates()
    assert {"base.html", "summary.html", "partials/logo.html", "macros/tables.html"} <= set(names)
    assert all(environment().get_template(name) for name in names)


def test_a_look_from_python(make, folder):
    (folder / "a.svg").write_text(SVG.format("<rect/>"))
    table = {"logo": "a.svg", "logo_alternative": "A", "light": {"accent": "#00566B"}}
    assessment = api.Assessment(make())
    assert b"--accent: #00566B" in assessment.rendered("a.summary.html", look=table)
    assessment.write("a.summary.html", look=table)
    assert (folder / "a.summary.html").read_bytes() == assessment.rendered("a.summary.html", look=table)
    for wrong in ({"light": {"accent": "red"}}, {"colour": "#000000"}, 3):
        with pytest.raises(InputError, match="setting 'look"):
            assessment.write("b.html", look=wrong)
    with pytest.raises(InputError, match="none: is no folder"):
        assessment.write("b.html", template_dir=folder / "none")
    assert not (folder / "b.html").exists()
