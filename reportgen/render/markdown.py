"""Markdown: a summary of one screen or two, for the job summary or the comment of a pipeline.

Names of files and columns are foreign text. Here every piece of text, ours or not, goes through `plain`, so that none
can end a table's cell, bring HTML, links or pictures, or call people by `@name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen.gate import gate_of
from reportgen.model import Measured, Result, digest
from reportgen.render import scores
from reportgen.render.checks import waiver_lines
from reportgen.render.first_page import first_page, reason_view
from reportgen.render.readings import reading_cell
from reportgen.render.rendered import RenderedBy
from reportgen.render.rules import closing_line, gate_sentence, state
from reportgen.render.view import Cell, Head
from reportgen.shown import escaped
from reportgen.subject import in_its_words
from reportgen.words import sentence

MOST_REASONS = 20
MOST_RULES = 50
LONGEST = 1000
"""Characters of one piece of text, and at most twice as many once it is escaped. With the bounded number of pieces
this keeps any summary below the megabyte that a job summary may have."""
SYMBOLS = {(True, True): "✓", (False, True): "!", (False, False): "✗"}
"""By whether a rule is met, and whether it passes."""
_ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"
_MARKUP = re.compile(r"[\\`*_\[\]~|$]")
_LINKED = re.compile(r"@|#|:(?=//)|(?i:www)(?=\.)|[!%&~$](?=\w)")
"""What GitHub or GitLab make a mention, a reference or a link of without any markup."""


@in_its_words
def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the summary."""
    page = first_page(result)
    parts = [
        f"## {plain(page.symbol)} {plain(page.word)}",
        f"**{plain(result.title)}**" if result.title.strip() else "",
        plain(page.headline),
        _section("markdown.why", _why(result)),
        _section("markdown.gate", _gate(result)),
        _section("label.compared", markdown_table(page.compared_heads, page.compared)),
        _section("label.smallest", f"**{plain(page.smallest_value)}**: {plain(page.smallest_text)}"),
        _section("markdown.scores", _scores(result)),
        _section("label.limits", _list(page.limits)),
        _footer(result, rendering),
    ]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: nothing in it is markup, a link, a mention or a control character."""
    visible = escaped(text.strip())
    most = min(len(visible), LONGEST)
    while len(shown := _unread(_shortened(visible, most))) > 2 * LONGEST:
        most //= 2
    return shown


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def _unread(shown: str) -> str:
    """Escape what Markdown would read. There is no zero-width space in the text, so all of them here are ours."""
    shown = _LINKED.sub(lambda found: f"{found[0]}{_ZERO_WIDTH}", shown)
    shown = _MARKUP.sub(lambda sign: f"\\{sign[0]}", shown)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace(_ZERO_WIDTH, "&#8203;")


def _section(title: str, content: str) -> str:
    return f"### {plain(sentence(title))}\n\n{content}" if content else ""


def _why(result: Result) -> str:
    reasons = result.verdict.reasons
    views = [reason_view(reason) for reason in reasons[:MOST_REASONS]]
    lines = [f"**{plain(view.name)}**: {plain(view.text)}" for view in views]
    if len(reasons) > MOST_REASONS:
        lines.append(plain(sentence("markdown.more_reasons", number=len(reasons) - MOST_REASONS)))
    return "\n".join(f"- {line}" for line in lines)


def _gate(result: Result) -> str:
    """Every rule of the gate, those that failed first, and how to mend it.

    What each metric argues for stands with the scores.
    """
    report = gate_of(result)
    judged = sorted(report.outcomes, key=lambda one: one.passes)
    heads = [Head(sentence(f"markdown.{name}")) for name in ("rule", "limit", "finding", "found")]
    rows = [
        (Cell(one.rule), Cell(one.limit), Cell(f"{SYMBOLS[one.met, one.passes]} {state(one)}"), Cell(one.text))
        for one in judged[:MOST_RULES]
    ]
    further = len(judged) - MOST_RULES
    lines = [plain(sentence("markdown.more_rules", number=further))] if further > 0 else []
    lines += [plain(line) for line in waiver_lines(report)[:MOST_RULES]]
    closing = () if report.met else (plain(closing_line(result, report)),)
    return "\n\n".join((f"**{plain(gate_sentence(result))}**", markdown_table(heads, rows), *lines, *closing))


def _scores(result: Result) -> str:
    names = ("value", "interval", "reference", "better", "reading")
    rows: list[Sequence[Cell]] = []
    for key, metric in scores.ordered_metrics(result):
        if not isinstance(metric, Measured):
            rows.append((Cell(scores.short_name(key)), *[Cell("–")] * 4, Cell(metric.reason)))
            continue
        for name, score in scores.summary_scores(key, metric).items():
            rows.append(
                (
                    Cell(scores.title(result, key, name), unit=scores.unit_words(result, key, name, score)),
                    scores.value_cell(score, key, name),
                    scores.interval_cell(score, key, name),
                    scores.reference_cell(score, key, name),
                    scores.better_cell(score),
                    reading_cell(key, name, metric, result),
                )
            )
    numeric = ("value", "interval", "reference")
    heads = [Head(sentence("summary.score")), *(Head(sentence(f"summary.{n}"), numeric=n in numeric) for n in names)]
    return markdown_table(heads, rows)


def markdown_table(heads: Iterable[Head], rows: Iterable[Sequence[Cell]]) -> str:
    """Write a table; its words are escaped here."""
    columns = tuple(heads)
    lines = [
        _row(plain(head.text) for head in columns),
        _row("---:" if head.numeric else "---" for head in columns),
        *(_row(_cell(cell) for cell in row) for row in rows),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    """A cell with its grey words behind it."""
    text = f"{cell.text} ({cell.unit})" if cell.unit else cell.text
    return plain(f"{text} · {cell.under}" if cell.under else text)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {plain(line)}" for line in lines)


def _footer(result: Result, rendering: RenderedBy) -> str:
    text = sentence("markdown.footer", version=rendering.tool_version, created=result.created, digest=digest(result))
    return f"---\n\n{plain(text)}"
