import pytest

from reportgen.model import Measured, Score
from reportgen.render.attacks import answer, halves, named_attacks, of_all_attacks, rates_figure, rates_table
from reportgen.render.view import Numbering


def share(value, width=0.05, reference=None):
    low, high = max(0.0, value - width), min(1.0, value + width)
    return Score(value=value, low=low, high=high, reference=reference, unit="share", better="lower")


def rates(attack, control, risk, prefix="", p=0.5, note=None):
    found = {
        "attack_rate": share(attack, reference=control).model_copy(update={"note": note}),
        "baseline_rate": Score(value=0.1, unit="share", better="context"),
    }
    if control is not None:
        found["control_rate"] = share(control)
        found["risk"] = share(risk)
        found["p_value"] = Score(value=p, unit="probability", better="higher")
    return {f"{prefix}{name}": score for name, score in found.items()}


def attack(main, *more, notes=()):
    counts = {"attacks": Score(value=2000, unit="count", better="context")}
    scores = counts | main
    for one in more:
        scores |= one
    return Measured(scores=scores, notes=notes)


@pytest.fixture
def inference():
    return attack(
        rates(0.5, 0.2, 0.375, p=0.001),
        rates(0.31, 0.3, 0.014, "column:age:"),
        rates(0.5, 0.2, 0.375, "column:pay: net:", 0.001),
        rates(0.05, 0.05, 0.0, "column:town:", note="not_trusted"),
    )


def test_columns_stand_worst_first_with_their_rates_and_p(inference, make):
    table = rates_table("inference", inference, make(), Numbering())
    assert [row[0].text for row in table.rows] == ["pay: net", "age", "town"]
    assert [cell.text for cell in table.rows[0][1:]] == ["50.00", "20.00", "10.00", "37.50", "0.001"]
    assert [head.text for head in table.heads] == ["Column", "Original", "Holdout", "Guessing", "Risk", "p"]


def test_an_attack_that_does_no_better_than_guessing_says_so_in_its_line(inference, make):
    table = rates_table("inference", inference, make(), Numbering())
    assert [row[0].under for row in table.rows] == ["", "", "not assessed: no better than guessing"]


def test_single_attacks_stand_in_their_own_table_alone(inference):
    assert set(of_all_attacks("inference", inference.scores)) == {
        "attacks",
        "risk",
        "attack_rate",
        "control_rate",
        "baseline_rate",
        "p_value",
    }


def test_the_answer_names_the_worst_column_with_its_numbers(inference, make):
    text = answer("inference", inference, make()).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith("Worst is column pay: net: guessed right for 50.00 % of 2,000 original rows")
    assert "The risk is 37.50 % (32.50 % to 42.50 %; p = 0.001 for all columns together)" in text


@pytest.mark.parametrize("key", ["singling_out", "linkability", "inference"])
def test_without_a_control_answer_figure_and_table_give_no_risk(key, make):
    prefix = {"singling_out": "univariate_", "linkability": "", "inference": "column:age:"}[key]
    found = attack(rates(0.5, None, None), rates(0.5, None, None, prefix), notes=("no_control",))
    assert "the risk is unknown" in answer(key, found, make())
    (figure,) = rates_figure(key, found, make(), "paper", Numbering())
    assert "holdout rows" not in figure.picture.alternative
    table = rates_table(key, found, make(), Numbering())
    assert table is None or "Risk" not in [head.text for head in table.heads]


def test_kinds_of_predicates_keep_their_order_unless_one_surely_won_more():
    alike = attack(rates(0.1, 0.1, 0.0), rates(0.3, 0.28, 0.03, "multivariate_"), rates(0.1, 0.1, 0.0, "univariate_"))
    assert list(named_attacks("singling_out", alike)) == ["univariate", "multivariate"]
    worse = attack(rates(0.1, 0.1, 0.0), rates(0.6, 0.2, 0.5, "multivariate_"), rates(0.1, 0.1, 0.0, "univariate_"))
    assert list(named_attacks("singling_out", worse)) == ["multivariate", "univariate"]


def test_the_figure_draws_the_worst_twenty_and_says_so(make):
    many = [rates(0.2 + place / 100, 0.2, place / 100, f"column:c{place:02}:") for place in range(30)]
    found = attack(rates(0.49, 0.2, 0.29), *many)
    (figure,) = rates_figure("inference", found, make(), "paper", Numbering())
    assert "Showing 20 of 30, the worst; the table has all." in figure.note
    assert "c29" in figure.picture.alternative
    assert "c09" not in figure.picture.alternative
    table = rates_table("inference", found, make(), Numbering())
    assert [row[0].text for row in table.rows] == [f"c{place:02}" for place in reversed(range(30))]


def test_twenty_columns_are_all_drawn_with_their_intervals(make):
    many = [rates(0.2 + place / 100, 0.2, place / 100, f"column:c{place:02}:") for place in range(20)]
    (figure,) = rates_figure("inference", attack(rates(0.39, 0.2, 0.19), *many), make(), "paper", Numbering())
    assert "Showing" not in figure.note
    assert all(f"c{place:02}: " in figure.picture.alternative for place in range(20))


def test_the_table_says_how_many_columns_were_not_guessed(make):
    # The result has three columns, all used.
    some = attack(rates(0.5, 0.2, 0.375), rates(0.31, 0.3, 0.014, "column:age:"))
    (said,) = rates_table("inference", some, make(), Numbering()).notes
    assert said.startswith("Guessed: 1 of 3 columns, those with the largest share of the inertia.")
    chosen = make(settings=make().settings.model_copy(update={"secret": ("age",)}))
    assert rates_table("inference", some, chosen, Numbering()).notes == ()


def test_of_columns_without_a_sure_risk_those_that_tell_something_come_first(make):
    found = attack(
        rates(0.3, 0.3, 0.0),
        rates(0.06, 0.02, 0.04, "column:noise:", note="not_trusted"),
        rates(0.3, 0.3, 0.0, "column:solid:"),
    )
    assert list(named_attacks("inference", found)) == ["solid", "noise"]
    assert answer("inference", found, make()).startswith("Worst is column solid")


def test_the_linkability_attack_names_the_columns_of_both_files(make):
    # Inertia .5, .3 and .2 in turns of one, two: the heaviest against the others.
    weights = {"age": 0.2, "education": 0.5, "workclass": 0.3}
    columns = tuple(one.model_copy(update={"inertia": weights[one.name]}) for one in make().columns)
    assert halves(make(columns=columns)) == ("education", "age, workclass")
    chosen = make().settings.model_copy(update={"link": ("age",)})
    assert halves(make(columns=columns, settings=chosen)) == ("age", "education, workclass")
    both = chosen.model_copy(update={"link_with": ("workclass",)})
    assert halves(make(columns=columns, settings=both)) == ("age", "workclass")
    many = tuple(columns[0].model_copy(update={"name": f"c{place:02}"}) for place in range(40))
    told = [half.replace("\N{NO-BREAK SPACE}", " ") for half in halves(make(columns=many))]
    # Of 40 equal columns the 1st, 4th, 5th, 8th … are the one file's.
    assert told[0].startswith("c00, c03, c04, c07, ")
    assert [half.rpartition(" and ")[2] for half in told] == ["8 other columns"] * 2
