"""The glossary: a technical term has an entry, an entry is used, and a report shows the entries that it uses."""

import re

import pytest

from reportgen import subject
from reportgen.render.context import build_report
from reportgen.render.glossary import as_words, occurs, texts, used_terms
from reportgen.words import catalog

TECHNICAL = (
    "anchored|approximate holdout|attack|AUC|authenticity|avatar method|autocorrelation|baseline|"
    "binomial|bootstrap|brute-forced|certified|Clopper-Pearson|Closest Distances Ratio|Closest Rate|"
    "closest row|confidence|correction|cumulative share|data controller|DeLong|delta method|"
    "detectable-leak control|differential-privacy|Distance To Closest|draws?|drawn down|Euclidean|excess|"
    "exact copies|false alarms?|FAMD|family|Fisher tests?|gamma limits|GDPR|generator|guessing|holdout|Holm|"
    "hypergeometric|ideal generator|ideal range|identifiers?|identical|inertia|inference|intervals?|"
    "isolated rows?|JSON|labell?ings?|leaks?|linkability|logarithmic|logarithms|lower tail|median|"
    "membership inference|memorising control|near[- ]cop\\w+|NNDR|nearest-neighbour distance ratio|"
    "null range|one-sided|original rows|p-values?|parsed table|percentile|permutation|permuted|policy|"
    "predicates?|quantile|Recital 26|reference|relabellings?|release gate|resamples?|resampled|"
    "root mean square|secondary test|seed|SHA-256|shuffl\\w+|singling out|sits? on|smallest leak|"
    "SOURCE_DATE_EPOCH|standard deviations?|synthetic rows|tied|tolerance|twins?|variance|waivers?|Wilson|"
    "WP216|zero-crossing rate|z|Pango|HarfBuzz|Parquet|UTC|schema"
)
"""Words that a reader who is new to this need not know. Whoever brings another such word into a text adds it here."""
UNKNOWN = (
    "ANOVA|backpropagation|Bayes|Bonferroni|chi-?squared?|covariance|ECDF|eigen\\w*|entropy|epsilon|GAN|"
    "Gaussian|Gower|heteroscedas\\w*|kernel|Kolmogorov|Kullback|l-diversity|logit|Mahalanobis|Mann-Whitney|"
    "manifold|MinHash|Monte Carlo|overfit\\w*|PCA|Poisson|posterior|prior|quasi-identifier|regression|ROC|"
    "sigma|softmax|t-closeness|Wasserstein"
)
"""Terms of the field that no text uses today. One that does needs an entry, and moves to the list above."""
OF_SIGNALS = ("method.space_signals", "method.scaling_signals")
SUBJECTS = ("tables", "persons", "signals")


def entries(of):
    with subject.speaking_of(of):
        return catalog()["glossary"]["terms"]


def sentences(of, *, glossary=False):
    """Every text of the catalog that stands in results and reports, with expressions taken out."""

    def walk(entry, path):
        if isinstance(entry, dict):
            for key, value in entry.items():
                yield from walk(value, (*path, key))
        elif isinstance(entry, str) and path[-1] != "forms":
            quoted = re.sub(r"\{[{%].*?[}%]\}", lambda found: " ".join(re.findall(r"'([^']*)'", found[0])), entry)
            yield ".".join(path), re.sub(r"%[sd]", "1", quoted)

    with subject.speaking_of(of):
        words = catalog()
    for path, text in walk(words, ()):
        if path.startswith("glossary.terms") == glossary and (of == "signals" or path not in OF_SIGNALS):
            yield path, text


def has_entry(term, of):
    return any(occurs(entry["forms"], as_words(term)) for entry in entries(of).values())


@pytest.mark.parametrize("of", SUBJECTS)
@pytest.mark.parametrize("glossary", [False, True])
def test_every_technical_term_in_a_text_has_an_entry(of, glossary):
    technical = re.compile(rf"\b(?:{TECHNICAL})\b", re.IGNORECASE)
    missing = {
        (found, path)
        for path, text in sentences(of, glossary=glossary)
        for found in technical.findall(text)
        if not has_entry(found, of)
    }
    assert not missing


def test_terms_of_the_field_that_have_no_entry_are_not_used():
    unknown = re.compile(rf"\b(?:{UNKNOWN})\b", re.IGNORECASE)
    found = {(word, path) for path, text in sentences("tables") for word in unknown.findall(text)}
    assert not found


def test_the_list_of_technical_terms_is_not_made_of_words_that_nothing_uses():
    texts_of_all = " ".join(
        text for of in SUBJECTS for glossary in (False, True) for _, text in sentences(of, glossary=glossary)
    )
    unused = [term for term in TECHNICAL.split("|") if not re.search(rf"\b(?:{term})\b", texts_of_all, re.IGNORECASE)]
    assert not unused


def idle(of):
    """The entries that no text and no other entry uses."""
    words = as_words(" | ".join(text for _, text in sentences(of)))
    meanings = {key: as_words(entry["meaning"]) for key, entry in entries(of).items()}
    return {
        key
        for key, entry in entries(of).items()
        if not occurs(entry["forms"], words)
        and not any(occurs(entry["forms"], text) for other, text in meanings.items() if other != key)
    }


def test_every_entry_is_used_somewhere():
    assert not idle("tables")
    assert not idle("signals") - set(entries("tables"))  # what tables need, signals may leave


@pytest.mark.parametrize("of", SUBJECTS)
def test_entries_stand_by_name_and_explain_themselves_in_other_words(of):
    names = [entry["name"] for entry in entries(of).values()]
    assert len(names) == len({name.casefold() for name in names}) >= 28
    for entry in entries(of).values():
        assert entry["meaning"].strip().endswith("."), entry
        assert not entry["meaning"].casefold().startswith(entry["name"].casefold()), entry
        assert all(form == as_words(form).strip() for form in entry["forms"].split("|")), entry["forms"]


@pytest.mark.parametrize("name", ["leaky", "low", "no_holdout", "nothing_measured"])
def test_a_report_explains_the_terms_that_it_uses_and_no_others(results, rendering, name):
    report = build_report(results[name], rendering, "paper")
    shown = [row[0].text for row in report.glossary.rows]
    assert shown == sorted(shown, key=str.casefold)
    parts = (report.first, report.data, report.summary, report.holdout, report.metrics, report.coverage)
    parts = (*parts, report.method, report.thresholds, report.provenance)
    meanings = [row[1].text for row in report.glossary.rows]
    words = as_words(" | ".join([*texts(parts), *meanings]))
    for entry in entries("tables").values():
        assert (entry["name"] in shown) == occurs(entry["forms"], words), entry["name"]


def test_terms_in_the_meaning_of_a_term_are_explained_too():
    names = [term["name"] for term in used_terms(["The smallest leak is unknown."])]
    assert {"Smallest leak", "Leak", "Near copy", "Original rows", "Generator"} <= set(names)
    assert "Wilson" not in names
    assert used_terms(["Nothing of the kind."]) == ()


def test_what_stands_in_place_of_a_picture_is_read_and_its_drawing_is_not(results, rendering):
    report = build_report(results["leaky"], rendering, "paper")
    figure = report.summary.figure or report.metrics.frames[2].figures[0]
    found = list(texts(figure))
    assert figure.picture.alternative in found
    assert figure.picture.wide not in found


@pytest.mark.parametrize(
    ("text", "form", "found"),
    [
        ("Near-copies, planted.", "near copies", True),
        ("The p-value (0.1)", "p value", True),
        ("a kernel", "kernels", False),
        ("nz", "z", False),
    ],
)
def test_forms_are_found_as_whole_words_whatever_stands_between(text, form, found):
    assert occurs(form, as_words(text)) is found
