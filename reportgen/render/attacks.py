"""The attacks in the report: their answers, their table of rates, worst first, and the figure of the same."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reportgen.attempts import dealt
from reportgen.figures.rates import Rate, RateRow, RatesText, draw_rates
from reportgen.model import Measured, Result, Score
from reportgen.render import scores
from reportgen.render.column_names import ColumnNames, column_names
from reportgen.render.pictures import Medium, picture
from reportgen.render.readings import too_weak
from reportgen.render.view import Cell, Figure, Head, Numbering, Row, Table, capped
from reportgen.rounding import p_value
from reportgen.score_names import ATTACKS, PREDICATES
from reportgen.words import sentence

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing

COLUMN = "column:"
MOST_NAMED = 12
"""Columns of a file that are named."""
MOST_DRAWN = 20
"""Attacks in a figure, the worst ones; the table has more."""

Named = dict[str, Mapping[str, Score]]


def of_all_attacks(key: str, found: Mapping[str, Score]) -> dict[str, Score]:
    """Leave out the scores of single attacks, which stand in a table of their own."""
    if key not in ATTACKS:
        return dict(found)
    own = (COLUMN, *(f"{kind}_" for kind in PREDICATES))
    return {name: score for name, score in found.items() if not name.startswith(own)}


def named_attacks(key: str, metric: Measured) -> Named:
    """The scores of each attack of a family by its name, worst first.

    By the lower bound of the risk, those that do better than guessing first, by the value of the risk; the kinds of
    predicates without the last, as the scores of the family are chosen. Without a control by what was
    won over guessing.
    """
    parts: dict[str, dict[str, Score]] = {}
    for name, score in metric.scores.items():
        if name.startswith(COLUMN):
            of, _, what = name.removeprefix(COLUMN).rpartition(":")
        elif kind := next((kind for kind in PREDICATES if name.startswith(f"{kind}_")), None):
            of, what = kind, name.removeprefix(f"{kind}_")
        else:
            continue
        parts.setdefault(of, {})[what] = score
    if not parts:
        return (
            {sentence(f"metric.{key}.one"): metric.scores}
            if {"attack_rate", "baseline_rate"} <= set(metric.scores)
            else {}
        )
    whole = {name: own for name, own in parts.items() if {"attack_rate", "baseline_rate"} <= set(own)}
    kinds = key == "singling_out"
    ordered = {kind: whole[kind] for kind in PREDICATES if kind in whole} if kinds else whole
    return dict(sorted(ordered.items(), key=lambda item: _won(item[1], by_value=not kinds), reverse=True))


def _won(own: Mapping[str, Score], *, by_value: bool) -> tuple[float, bool, float]:
    risk, strong = own.get("risk"), not _weak(own)
    if risk is not None:
        return (risk.low or 0.0, strong, risk.value if by_value else 0.0)
    return (own["attack_rate"].value - own["baseline_rate"].value, strong, 0.0)


def _weak(own: Mapping[str, Score]) -> bool:
    return own["attack_rate"].note == "not_trusted"


def answer(key: str, metric: Measured, result: Result) -> str:
    """Answer an attack's question with the rates of the attack that surely won the most.

    Where that did no better than guessing, the first words are that the question is not answered.
    """
    rates = _rates(key, metric, result)
    return sentence("attack.too_weak", rates=rates) if too_weak(metric) else rates


def _rates(key: str, metric: Measured, result: Result) -> str:
    found = metric.scores
    rate, risk, control = found["attack_rate"], found.get("risk"), found.get("control_rate")
    numbers: dict[str, Any] = {
        "rate": scores.share(rate.value),
        "guess": scores.share(found["baseline_rate"].value),
        "worst": _worst(key, metric, column_names(result)),
        "attacks": round(found["attacks"].value),
        "several": len(named_attacks(key, metric)) > 1,
        "k": result.settings.link_neighbours,
    }
    if risk is None or control is None:
        return sentence(f"metric.{key}.answer_alone", **numbers)
    p = found.get("p_value")
    return sentence(
        f"metric.{key}.answer",
        control=scores.share(control.value),
        risk=scores.share(risk.value),
        low=scores.share(risk.low or 0.0),
        high=scores.share(1.0 if risk.high is None else risk.high),
        p="" if p is None else p_value(p.value, (result.settings.thresholds.secondary,)),
        **numbers,
    )


def _worst(key: str, metric: Measured, names: ColumnNames) -> str:
    """The name of the attack that the scores of the family are those of."""
    main = metric.scores["attack_rate"], metric.scores["baseline_rate"]
    for name, own in named_attacks(key, metric).items():
        if (own["attack_rate"], own["baseline_rate"]) == main:
            return _title(key, name, names)
    return ""


def _title(key: str, name: str, names: ColumnNames) -> str:
    """An attack as the report calls it: a column by its name, a kind of predicate in words."""
    return names.written(name) if key == "inference" else _in_words(key, name)


def _in_words(key: str, name: str) -> str:
    return sentence(f"metric.singling_out.kind_{name}") if key == "singling_out" and name in PREDICATES else name


def rates_table(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table | None:
    """The rates of each attack of a family, worst first; None for a metric that is no attack, or has one alone."""
    if key not in ATTACKS:
        return None
    attacks = named_attacks(key, metric)
    if not attacks or key == "linkability":
        return None
    with_control = "risk" in metric.scores
    names = column_names(result)
    rows, shown = capped(
        [_row(_title(key, name, names), key, own, result, with_control=with_control) for name, own in attacks.items()]
    )
    if key == "inference" and not result.settings.secret and len(attacks) < (used := _used(result)):
        shown = (sentence("attack.guessed_some", guessed=len(attacks), total=used), *shown)
    percents = sentence("unit.share")
    rates = ("attack", *(("control",) if with_control else ()), "guess", *(("risk",) if with_control else ()))
    return Table(
        label=numbering.table(),
        caption=sentence(f"metric.{key}.rates"),
        caption_note=sentence("attack.table_note", control=with_control),
        heads=(
            Head(sentence(f"metric.{key}.rates_head")),
            *(Head(sentence(f"attack.{name}", **scores.wording(result)), percents, numeric=True) for name in rates),
            *((Head(sentence("attack.p"), numeric=True),) if with_control else ()),
        ),
        rows=rows,
        notes=shown,
    )


def halves(result: Result) -> tuple[str, str]:
    """Name the columns of the two files that the linkability attack joins; those beyond twelve as a number."""
    used = sorted((column for column in result.columns if column.used), key=lambda column: column.name)
    names, settings = [column.name for column in used], result.settings
    if settings.link:
        first = tuple(settings.link)
        second = tuple(settings.link_with) or tuple(name for name in names if name not in first)
    else:
        first, second = (
            tuple(names[place] for place in half) for half in dealt([column.inertia or 0.0 for column in used])
        )
    written = column_names(result)
    return _several(first, written), _several(second, written)


def _several(columns: tuple[str, ...], written: ColumnNames) -> str:
    more = len(columns) - MOST_NAMED
    names = [written.written(name) for name in columns]
    return ", ".join(names) if more <= 0 else sentence("attack.and_more", names=names[:MOST_NAMED], more=more)


def _used(result: Result) -> int:
    return sum(column.used for column in result.columns)


def _row(title: str, key: str, own: Mapping[str, Score], result: Result, *, with_control: bool) -> Row:
    cells = [
        Cell(title, under=sentence("attack.not_trusted") if _weak(own) else ""),
        _with_interval(own["attack_rate"], key, "attack_rate"),
    ]
    if with_control:
        cells.append(_with_interval(own.get("control_rate"), key, "control_rate"))
    cells.append(_with_interval(own["baseline_rate"], key, "baseline_rate"))
    if with_control:
        p = own.get("p_value")
        limits = (result.settings.thresholds.secondary,)
        cells.append(_with_interval(own.get("risk"), key, "risk"))
        cells.append(Cell("–" if p is None else scores.number(p.value, "probability", limits), style="num"))
    return tuple(cells)


def _with_interval(score: Score | None, key: str, name: str) -> Cell:
    if score is None:
        return Cell("–", style="num")
    interval = "" if score.low is None else scores.interval_cell(score, key, name).text
    return Cell(scores.number(score.value, score.unit), style="num", under=interval)


def rates_figure(
    key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering
) -> tuple[Figure, ...]:
    """Draw the rates of a family's attacks, the worst ones; nothing for a metric that is no attack."""
    if key not in ATTACKS:
        return ()
    attacks = named_attacks(key, metric)
    drawn = dict(list(attacks.items())[:MOST_DRAWN])
    if not drawn:
        return ()
    names = column_names(result)
    titles = [_title(key, name, names) for name in drawn]
    labels = [names.drawn(name) if key == "inference" else _in_words(key, name) for name in drawn]
    rows = tuple(_drawn_row(label, own) for label, own in zip(labels, drawn.values(), strict=True))
    words = scores.wording(result)
    control = rows[0].control is not None
    text = RatesText(
        **{name: sentence(f"attack.figure_{name}", **words) for name in ("attack", "control", "baseline", "x_label")},
        risk_head=sentence("attack.risk") if control else "",
    )
    said = [sentence("attack.alternative", total=len(attacks), drawn=len(rows), **words)]
    said += [
        sentence(
            "attack.alternative_row",
            name=title,
            attack=scores.share(row.attack.value),
            control="" if row.control is None else scores.share(row.control.value),
            guess=scores.share(row.baseline),
            **words,
        )
        for title, row in zip(titles, rows, strict=True)
    ]
    worst = rows[0]
    caption = sentence(
        "attack.caption" if control else "attack.caption_alone",
        name=titles[0],
        several=len(rows) > 1,
        attack=scores.share(worst.attack.value),
        control="" if worst.control is None else scores.share(worst.control.value),
        guess=scores.share(worst.baseline),
        **words,
    )
    note = sentence(
        "attack.figure_note",
        control=control,
        drawn=len(rows),
        total=len(attacks),
        numbered=key == "inference" and not names.numbers.keys().isdisjoint(drawn),
        **words,
    )
    draw = functools.partial(_drawn, rows, text)
    return (Figure(numbering.figure(), caption, note, picture(draw, medium, " ".join(said))),)


def _drawn_row(label: str, own: Mapping[str, Score]) -> RateRow:
    risk, control = own.get("risk"), own.get("control_rate")
    return RateRow(
        name=label,
        risk="" if risk is None else scores.with_unit(risk.value, "share"),
        attack=_rate(own["attack_rate"]),
        control=None if control is None else _rate(control),
        baseline=own["baseline_rate"].value,
    )


def _rate(score: Score) -> Rate:
    low = score.value if score.low is None else score.low
    return Rate(score.value, low, score.value if score.high is None else score.high)


# HTML and PDF of one result save the same wide drawing.
@functools.lru_cache(maxsize=8)
def _drawn(rows: tuple[RateRow, ...], text: RatesText, **how: Any) -> Drawing:
    return draw_rates(rows, text, **how)
