"""Every string and every number of a result says where it comes from; what has no source here fails the test.

Reports of every format are functions of the result alone (an import contract holds them to it), so what the result does
not hold, none of them can print.
"""

from __future__ import annotations

import io
import json
import re
from datetime import date

import numpy as np
import pandas as pd
import pikepdf
import pytest
from scipy.spatial.distance import cdist

import reportgen
from reportgen.api import parse
from reportgen.baseline import describe_baseline
from reportgen.gate import evaluate
from reportgen.marks import KNOWN
from reportgen.model import is_round, to_json
from reportgen.policy import make_policy
from reportgen.read.partition import Partition
from reportgen.render import FORMATS
from reportgen.runner import encode, read_inputs
from reportgen.settings import make_settings

ORDER_STATISTICS = (
    r"metrics\.(distance_to_closest|closest_distances_ratio)\.scores\.(median_raw|outlier_raw|isolated_raw)\.",
    r"metrics\.(distance_to_closest|closest_distances_ratio)\.scores\.(median|outlier|isolated)\.",
    r"metrics\.closest_rate\.scores\.(distance_threshold|ratio_threshold)\.",
    r"metrics\.nndr\.scores\.(p5|median|holdout_p5|holdout_median)\.",
    r"metrics\.nn_dist\.scores\.(.*:)?threshold\.",
    r"controls\.memorising\.scores\.[a-z_]+\.(median|outlier|isolated|p5|threshold|\w+_threshold|\w+_raw|\w+_p5|\w+_median)\.",
    r"metrics\.[a-z_]+\.distributions\.[^.]+\.quantiles\.values\.",
)
"""Percentiles of per-row distances that metrics.md and the contract define: each may equal the distance of one row.
SECURITY.md lists them; nothing else of the result may."""

SOURCES = {
    # what was asked for, and with what
    r"schema_version|title|created|command": "constant, the user's or a file's name, the clock, the user's words",
    r"tool\.(name|version|metrics)|environment\.[a-z_0-9]+": "versions of programs",
    r"settings\.[a-z_]+(\.[a-z_]+|\.\d+)*": "what the user set",
    r"settings\.declared\.columns\.[^.]+\.[a-z_]+(\.\d+)?": "what the user set for a column",
    r"inputs\.(original|synthetic|holdout)(\.name)?": "base name of a file, or that there is none",
    r"inputs\.[a-z]+\.(sha256|content_sha256)": "digest of a whole file or table",
    r"inputs\.[a-z]+\.(rows|columns|repeated_rows|samples|persons)": "count of rows, columns, samples or persons",
    # columns
    r"columns\.\d+\.(name|kind|used)": "the header, and how it was understood",
    r"columns\.\d+\.(reason|remarks\.\d+)": "sentence on a column",
    r"columns\.\d+\.(missing_marks\.\d+|other_marks)": "known or declared mark, each in five original rows",
    r"columns\.\d+\.missing\.(original|synthetic|holdout)": "count of rows",
    r"columns\.\d+\.(distinct_original|pooled_levels|unseen_rows)": "count of values or rows",
    r"columns\.\d+\.inertia": "share of variance of all real rows",
    r"leads\.\d+\.(name|flat)": "the user's name of a lead, and whether all records are flat there",
    # holdout, space, search
    r"holdout\.(kind|warnings\.\d+)": "closed list, sentences",
    r"holdout\.(rows|draws|base_rows|overlap_rows|original_overlap_rows|overlap_p_value)": "counts, and a p-value",
    r"holdout\.(persons|shared_persons|rows_p_value)": "counts of persons, and a p-value",
    r"space\.(projection|components|dimensions|inertia|fitted_on)": "settings, counts and a share over all rows",
    r"search\.(queries|certified|(unique_rows|looking)(\.[a-z]+)?)": "counts",
    # metrics
    r"metrics\.[a-z_]+\.(status|code|reason|verdict|notes\.\d+)": "closed lists, and a sentence",
    r"metrics\.[a-z_]+\.scores\.[^.]+\.(value|low|high|reference|null_low|null_high)": "score",
    r"metrics\.[a-z_]+\.scores\.[^.]+\.(unit|better|note)": "closed lists",
    r"metrics\.[a-z_]+\.distributions\.[^.]+\.(edges|counts)\.\d+": "round edge, count of a bin",
    r"metrics\.[a-z_]+\.distributions\.[^.]+\.(zero_count|n)": "count",
    r"metrics\.[a-z_]+\.distributions\.[^.]+\.quantiles\.(levels|values)\.\d+": "level five rows from either end",
    r"metrics\.[a-z_]+\.joint\.[^.]+\.(x_edges|y_edges)\.\d+": "round edge",
    r"metrics\.[a-z_]+\.joint\.[^.]+\.counts\.\d+\.\d+": "count of a cell, -1 for one to four rows",
    # controls, findings, verdict
    r"controls\.(memorising|detectable)(\.(rows|share|noise_sd|power|search_limit|code|reason))?": "planted rows",
    r"controls\.detectable\.curve\.\d+\.(rows|power|trials)": "planted rows",
    r"controls\.memorising\.scores\.[a-z_]+\.[^.]+\.[a-z_]+": "score of a table with planted copies",
    r"findings\.\d+\.(code|severity|text|region|count|expected|p_value)": "sentence with counts of rows",
    r"coverage\.[a-z_]+\.(assessed|code|metrics\.\d+)": "which metrics ran, closed list",
    r"verdict\.(level|tolerance|upper_bound)": "closed list, setting, bound on a share of rows",
    r"verdict\.reasons\.\d+\.(code|metric|text|value|bound|limit|unit)": "sentence with scores",
    # the gate
    r"policy(\.(fail_on|max_tolerance|require_holdout|max_age_days|min_tool_version))?": "what the user set",
    r"policy\.(settings|limits|worsening)\.[^.]+(\..+)?": "what the user set",
    r"policy\.waivers\.\d+\.(rule|reason|by|until|level)": "what the user set",
    r"baseline(\.(name|sha256|created|version|level|differences\.\d+))?": "of an older result, which file it was",
    r"baseline\.scores\.[a-z_]+\.[^.]+": "score of an older result",
}


def leaves(value, path=()):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key.replace(".", "_")))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, str(place)))
    elif not isinstance(value, dict | list):
        yield ".".join(path), value


def people(seed, rows=80):
    random = np.random.default_rng(seed)
    level = 1000 * (seed + 1)
    table = pd.DataFrame(
        {
            "pay": random.normal(0, 1, rows) + 1e-7,
            "height": random.gamma(3, 2, rows),
            "visits": random.integers(0, 9, rows),
            "town": random.choice(["Northham", "Southham", "Eastham"], rows),
            "day": pd.Timestamp("2020-03-01", tz="UTC") + pd.to_timedelta(random.integers(0, 900, rows), unit="D"),
            "person": [f"person-{level + row}" for row in range(rows)],
            "remark": random.choice(["?", "ill", "well"], rows),
        }
    )
    table.loc[:2, "town"] = f"Rarewick{seed}"  # three rows: too few to be named
    table.loc[3:6, "remark"] = "NULL"
    return table


def waves(seed, records=40):
    random = np.random.default_rng(seed)
    return random.normal(size=(records, 2, 30)).cumsum(axis=2)


def with_copies(synthetic, original):
    return pd.concat([original.iloc[:8], synthetic.iloc[8:]], ignore_index=True)


def with_persons(table):
    return table.assign(who=[f"family-{place // 2}" for place in range(len(table))])


T, S, H = (people(seed) for seed in range(3))
SCENARIOS = {
    "independent": ((T, S, H), {}),
    "leaky": ((T, with_copies(S, T), H), {}),
    "no holdout": ((T, S, None), {}),
    "small holdout": ((T, S, H.iloc[:30]), {"tolerance": 5.0}),
    "tiny": ((T.iloc[:12], S.iloc[:12], H.iloc[:12]), {}),
    "one row": ((T.iloc[:1], S.iloc[:1], H.iloc[:1]), {}),
    "constant": ((T[["town"]].assign(town="x"),) * 3, {}),
    "coordinates": ((T[["pay", "height"]], S[["pay", "height"]], H[["pay", "height"]]), {"projection": "none"}),
    "exchanged": ((H, with_copies(S, T), T), {"no_category_names": True}),
    "persons": (tuple(with_persons(table) for table in (T, with_copies(S, T), H)), {"group": "who", "key": ["person"]}),
    "declared": (
        tuple(table.assign(stay=["withheld", "1", "2", "3"] * 20) for table in (T, S, H)),
        {"schema": {"missing": "?", "columns": {"stay": {"kind": "numeric", "missing": ["withheld", -9]}}}},
    ),
    "signals": (tuple(waves(seed) for seed in range(3)), {"lead_names": ["I", "V1.a"]}),
}


@pytest.fixture(scope="module", params=SCENARIOS)
def assessed(request):
    tables, settings = SCENARIOS[request.param]
    settings = {"resamples": 100, "draws": 2, **settings}
    found = reportgen.assess(*tables, **settings)
    return request.param, tables, settings, found, list(leaves(json.loads(found.to_json())))


def test_every_leaf_has_a_source(assessed):
    _, _, _, _, found = assessed
    assert [path for path, _ in found if not any(re.fullmatch(source, path) for source in SOURCES)] == []


def test_every_result_is_read_again_as_it_was_written(assessed):
    _, _, _, found, _ = assessed
    assert parse(found.to_json().encode(), "r.json") == found


def test_every_number_is_of_the_kind_that_its_source_says(assessed):
    _, tables, _, _, found = assessed
    largest = max(len(table) for table in tables if table is not None)
    for path, value in found:
        if re.search(r"_edges\.|\.edges\.", path):
            assert is_round(value), path
        if ".joint." in path and ".counts." in path:
            assert value in {-1, 0} or value >= 5, path
        if re.search(r"\.distributions\..*\.(counts\.\d+|zero_count|n)$", path):
            assert 0 <= value <= largest, path
        if (
            isinstance(value, float)
            and re.search(r"(\.|_)(inertia|p_value|share|power)$", path)
            and not path.startswith("settings.")
        ):
            assert 0 <= value <= 1, path


def test_no_number_is_the_distance_of_a_row_but_the_percentiles_that_are_defined_so(assessed):
    name, tables, settings, _, found = assessed
    if name in {"one row", "constant"}:
        return
    values = per_row(tables, settings)
    checked, distances = 0, []
    for path, value in found:
        if not isinstance(value, float) or value in {0.0, 1.0} or any(re.match(one, path) for one in ORDER_STATISTICS):
            continue
        if re.search(r"edges\.\d+$|levels\.\d+$|^settings\.|^controls\.detectable\.|_p_value$|inertia$", path):
            continue
        checked += 1
        near = values[np.searchsorted(values, value * (1 - 1e-12)) : np.searchsorted(values, value * (1 + 1e-12))]
        if len(near):
            distances.append(path)
    assert distances == []
    assert checked > 10


def per_row(tables, settings):
    """All distances between any two rows of the run, the ratios of neighbours, and the numbers in cells; sorted."""
    partition = read_inputs(*tables, make_settings(settings))
    assert isinstance(partition, Partition)
    if partition.leads:
        from reportgen.space.descriptor import encode_signals as place
    else:
        place = encode
    encoded = place(partition, make_settings(settings))
    far = cdist(encoded.coordinates, encoded.coordinates)
    sides = [encoded.original, encoded.synthetic, *([] if encoded.holdout is None else [encoded.holdout])]
    ratios = []
    for one in sides:
        for other in sides:
            closest = np.sort(far[np.ix_(one, other)], axis=1)
            for first, second in ((0, 1), (1, 2)):
                with np.errstate(invalid="ignore", divide="ignore"):
                    ratios.append(closest[:, first] / closest[:, min(second, closest.shape[1] - 1)])
    cells = [np.asarray(table["pay"]) for table in tables if isinstance(table, pd.DataFrame) and "pay" in table]
    every = np.concatenate([far.ravel(), *ratios, *cells])
    every = every[np.isfinite(every) & (every != 0) & (every != 1)]
    return np.sort(every)


def test_no_string_holds_a_cell_but_marks_that_five_original_rows_share(assessed):
    name, tables, settings, found, every = assessed
    frames = [table for table in tables if isinstance(table, pd.DataFrame)]
    texts = {str(text) for frame in frames for column in frame for text in frame[column].unique()}
    private = {text for text in texts if len(text) > 2 and text not in {"ill", "well", "nan", "NULL", "x", "withheld"}}
    quoted = [(path, text) for path, value in every if isinstance(value, str) for text in private if text in value]
    assert quoted == []
    for path, value in every:
        if ".missing_marks." in path:
            assert value in KNOWN | {"withheld"}
            assert not settings.get("no_category_names")
    named = {mark for column in found.columns for mark in column.missing_marks}
    assert "NULL" not in named  # four original rows hold it
    if name in {"independent", "leaky"}:
        assert named == {"?"}


def test_without_category_names_no_report_names_even_a_common_text():
    frames = [people(seed).assign(town="Northham", remark=["?", "well"] * 40) for seed in range(3)]
    for hidden in (True, False):
        found = reportgen.assess(*frames, metric="exact_copies", no_category_names=hidden)
        shown = found.rendered("x.html").decode()
        assert ("Read as missing: &#34;?&#34;" in shown) is not hidden
        assert ("they are not named" in shown) is hidden
        assert "--no-category-names" in found.result.command if hidden else True
        assert "Northham" not in shown


def test_without_category_names_no_text_of_the_schema_stands_in_any_output():
    frames = [people(seed).assign(stay=["withheld", "1", "2", "3"] * 20) for seed in range(3)]
    schema = {"missing": "unasked", "columns": {"stay": {"kind": "numeric", "missing": ["withheld"]}}}
    policy = {"settings": {"declared": schema}}
    for hidden in (True, False):
        found = reportgen.assess(*frames, metric="exact_copies", schema=schema, no_category_names=hidden, policy=policy)
        assert {one.rule: one.met for one in found.gate.outcomes}["settings.declared"]
        for one in FORMATS:
            shown = found.rendered(f"x{one.suffix}")
            if one.suffix.endswith(".pdf"):
                with pikepdf.open(io.BytesIO(shown)) as document:
                    shown = document.attachments["result.json"].get_file().read_bytes()
            for word in (b"withheld", b"unasked"):
                assert word not in shown if hidden else word in shown or one.suffix not in {".json", ".html", ".pdf"}
    assert "withheld" in found.to_json()


def test_who_has_the_config_file_can_tell_that_the_marks_are_the_same():
    frames = [people(seed).assign(stay=["withheld", "1", "2", "3"] * 20) for seed in range(3)]
    schema = {"columns": {"stay": {"kind": "numeric", "missing": ["withheld"]}}}
    found = reportgen.assess(*frames, metric="exact_copies", schema=schema, no_category_names=True).result
    # printf withheld | sha256sum
    digest = "a3b3d76fdf1e33a8c7bde9a7152980d0de2656e3d541feafb198261dcc7cf51c"
    assert found.settings.declared.columns["stay"].missing == (f"sha256:{digest}",)
    assert parse(to_json(found).encode(), "r.json").result == found
    for marks, met in ((["withheld"], True), (["other"], False)):
        pinned = {"settings": {"declared": {"columns": {"stay": {"kind": "numeric", "missing": marks}}}}}
        outcomes = evaluate(found, make_policy(pinned), date(2026, 1, 1)).outcomes
        assert {one.rule: one.met for one in outcomes}["settings.declared"] is met
        assert not any(mark in one.text for one in outcomes for mark in marks)
    named = reportgen.assess(*frames, metric="exact_copies", schema=schema).result
    assert describe_baseline(named, "old.json", "0" * 64, found).differences == ()
