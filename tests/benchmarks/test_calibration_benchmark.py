"""The calibration's own arithmetic, its table, and that what it leaves out changes no level."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import calibration
import numpy as np
import pytest
from calibration_table import BEGIN, END, Target, put_between, render, share, wilson
from generators import Files
from scenarios import BY_NAME, Cell, Job, cells, jobs

import reportgen

HERE = Path(__file__).parent
SCRIPT = HERE / "calibration.py"


def test_wilson_interval_agrees_with_hand_work():
    # p = .8, n = 10, z^2 = 3.8415: centre (.8 + .19207)/1.38415 = .71674,
    # reach 1.95996 sqrt(.16/10 + 3.8415/400)/1.38415 = .22658.
    assert wilson(8, 10) == pytest.approx((0.49016, 0.94332), abs=1e-5)


def test_wilson_interval_ends_at_0_and_1_where_all_runs_agree():
    # The other end is z^2/(n + z^2) = 3.8415/13.8415 from there.
    assert wilson(0, 10) == (0.0, pytest.approx(0.27753, abs=1e-5))
    assert wilson(10, 10) == (pytest.approx(0.72247, abs=1e-5), 1.0)


@pytest.mark.parametrize(
    ("limits", "hits", "runs", "answer"),
    [
        ({"most": 0.06}, 2, 300, "reached"),  # up to 2.4 %
        ({"most": 0.06}, 25, 300, "reached"),  # 5.7 to 12.0 %: holds 6 %
        ({"most": 0.06}, 40, 300, "**not reached**"),  # from 9.9 %
        ({"most": 0.06}, 2, 30, "too few runs to say"),  # 1.8 to 21.3 %
        ({"most": 0.06}, 15, 30, "**not reached**"),
        ({"least": 0.95}, 279, 300, "reached"),  # 89.5 to 95.4 %: holds 95 %
        ({"least": 0.95}, 270, 300, "**not reached**"),  # to 92.9 %
        ({"least": 0.65}, 30, 30, "reached"),  # from 88.6 %
        ({"least": 0.95}, 30, 30, "too few runs to say"),
        ({"least": 0.7, "most": 0.95}, 250, 300, "reached"),
        ({"least": 0.7, "most": 0.95}, 300, 300, "**not reached**"),
        ({"most": 0.0}, 0, 300, "reached"),
        ({"most": 0.0}, 1, 300, "**not reached**"),
        ({"most": 0.0}, 0, 0, "too few runs to say"),
    ],
)
def test_a_number_is_reached_where_its_interval_holds_what_was_asked(limits, hits, runs, answer):
    assert Target(("ideal",), "A", "high", **limits).answer(hits, runs) == answer


def test_shares_are_never_rounded_to_none_or_all():
    shares = [share(*counts) for counts in ((0, 3000), (1, 3000), (2999, 3000), (3000, 3000), (1, 3), (0, 0))]
    assert shares == ["0 %", "0.1 %", "99.9 %", "100 %", "33.3 %", "–"]


def line(level="high", **changes):
    """A line as `calibration.measure` writes it."""
    return {
        "scenario": "1 % near",
        "population": "A",
        "rows": 1000,
        "seed": 0,
        "level": level,
        "p": 0.01,
        "lower": 0.0,
        "upper": 0.02,
        "leaked": 0.01,
        "found": None,
    } | changes


def test_table_is_made_from_the_lines():
    lines = [line(level, p=0.5) for level in ["high"] * 5 + ["moderate"] * 2 + ["low"]]
    lines += [line("low", population="B"), line("low", rows=200), line("low", scenario="ideal")]
    table = render(lines, "abc").splitlines()
    # 5 of 8: Wilson 30.57 to 86.32 %; of one run low in eight: 2.24 to 47.09 %.
    assert "| 1 % near | A | high | ≥ 68 % | 62.5 % | 8 | 30.6–86.3 % | too few runs to say |" in table
    assert "| 1 % near | A | low | ≤ 12 % | 12.5 % | 8 | 2.2–47.1 % | too few runs to say |" in table
    assert "| 1 % near | A | 1000 | 8 | 12.5 % | 0 % | 25.0 % | 62.5 % | 0 % |" in table
    # None of one: up to z^2/(1 + z^2) = 79.35 %.
    assert "| 1 % near copies are called high | 62.5 % of 8 (30.6–86.3 %) | 0 % of 1 (0.0–79.3 %) |" in table


def test_coverage_counts_the_runs_whose_bound_reaches_the_copies():
    lines = [line(scenario="5 % exact", leaked=0.05, upper=upper, lower=0.03) for upper in (0.04, 0.05, 0.06, 0.07)]
    assert Target(("5 % exact",), "A", "U covers").counted(lines) == (3, 4)
    assert Target(("5 % exact",), "A", "L covers").counted(lines) == (4, 4)


def test_runs_that_promised_no_smallest_leak_are_not_counted():
    lines = [line(found=found) for found in (True, False, None)]
    assert Target(("1 % near",), "A", "found").counted(lines) == (1, 2)


def test_cut_offs_stand_beside_the_level_of_the_same_runs():
    lines = [line(level, scenario="ideal", cut_offs={"x < 100": level == "low"}) for level in ("low", "low", "high")]
    table = render(lines, "abc").splitlines()
    assert "| x < 100 | 66.7 % | – | – | – |" in table
    assert "| our level: high | 33.3 % | – | – | – |" in table


def test_table_is_put_between_its_marks_again_and_again(tmp_path):
    file = tmp_path / "table.md"
    file.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_between(file, "new")
    put_between(file, "newer")
    assert file.read_text() == f"before\n{BEGIN}\n\nnewer\n\n{END}\nafter\n"
    file.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the lines"):
        put_between(file, "new")


def test_all_cells_grow_together():
    runs = jobs([Cell("ideal", "A", 1000, 4), Cell("1 % near", "A", 1000, 2)])
    assert [(job.scenario, job.seed) for job in runs] == [
        ("ideal", 0),
        ("1 % near", 0),
        ("ideal", 1),
        ("ideal", 2),
        ("1 % near", 1),
        ("ideal", 3),
    ]


def test_every_scenario_is_run_and_known_by_its_parts():
    assert {cell.scenario for cell in cells()} == set(BY_NAME)
    digests = {calibration.digest_of(scenario, "code") for scenario in BY_NAME.values()}
    assert len(digests) == len(BY_NAME)


def test_digest_sees_what_code_does_and_not_what_it_says(tmp_path):
    texts = ['"""One."""\n\nx = 1  # one\n', '"""Another."""\nx   = 1\n', "x = 2\n"]
    found = []
    for number, text in enumerate(texts):
        file = tmp_path / f"{number}.py"
        file.write_text(text)
        found.append(calibration.code_of(file))
    assert found[0] == found[1] != found[2]


def test_a_run_has_the_same_numbers_every_time():
    once, again = (calibration.measure(Job("5 % near", "B", 200, 3)) for _ in range(2))
    assert {**once, "seconds": 0} == {**again, "seconds": 0}


LEFT_OUT = {"smallest_leak_unknown", "smallest_leak_above_tolerance"}
"""Reasons beside the upper bound, which alone rules out a low level."""


@pytest.mark.parametrize(
    ("scenario", "population", "rows"),
    [("ideal", "A", 600), ("ideal", "B", 200), ("5 % near", "B", 200), ("exchanged, 5 % near", "A", 200)],
)
def test_what_is_left_out_changes_no_level(scenario, population, rows):
    files: Files = BY_NAME[scenario].make(population, rows, np.random.default_rng(1))
    quick = calibration.judged(files, calibration.SETTINGS.model_copy(update={"metric": calibration.FOR_THE_LEVEL}))
    whole = reportgen.assess(files.original, files.synthetic, files.holdout)
    assert quick.verdict.level == whole.verdict.level
    reasons = [
        {(reason.code, reason.value, reason.bound) for reason in verdict.reasons if reason.code not in LEFT_OUT}
        for verdict in (quick.verdict, whole.verdict)
    ]
    assert reasons[0] == reasons[1]


def test_script_measures_only_what_lacks(tmp_path):
    results = tmp_path / "lines.jsonl"
    results.touch()  # without a file it would go on from the runs that are kept
    command = [sys.executable, str(SCRIPT), "--quick", "--only", "5 % near", "--rows", "200", "--populations", "A"]
    command += ["--at-most", "2", "--processes", "1", "--results", str(results)]

    def run():
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    first = run()
    assert "| 5 % near, n = 200 | A | high | ≥ 95 % | 100 % | 2 |" in first
    lines = results.read_text().splitlines()
    assert [json.loads(one)["seed"] for one in lines] == [0, 1]
    results.write_text("\n".join([lines[0], lines[1][:40]]))  # the second run was cut short
    assert run() == first
    whole = [json.loads(one) for one in results.read_text().splitlines() if one.endswith("}")]
    assert [one["seed"] for one in whole] == [0, 1]


def test_runs_of_earlier_code_count_only_where_this_code_repeats_them(tmp_path, monkeypatch):
    def measured(job):
        return {"scenario": job.scenario, "population": "A", "rows": 200, "seed": job.seed, "p": job.seed / 10}

    wanted = jobs([Cell("5 % near", "A", 200, 4), Cell("ideal", "A", 200, 4)])
    results = tmp_path / "lines.jsonl"
    earlier = [measured(job) | {"seconds": 9, "digest": "earlier"} for job in wanted]
    for one in earlier:
        one["p"] += one["scenario"] == "ideal" and one["seed"] == 3  # this code finds another number there
    results.write_text("".join(f"{json.dumps(one)}\n" for one in earlier))

    def run_all(chosen, path, digests, processes):
        with path.open("a") as file:
            file.writelines(f"{json.dumps(measured(job) | {'digest': digests[job.scenario]})}\n" for job in chosen)

    monkeypatch.setattr(calibration, "run_all", run_all)
    digests = {"5 % near": "a", "ideal": "b"}
    assert calibration.take_over(wanted, results, digests, 1, 1) == ["ideal, A, n = 200"]
    counted = calibration.current(calibration.read_results(results), digests)
    assert sorted(key[:4] for key in counted) == [("5 % near", "A", 200, seed) for seed in range(4)] + [
        ("ideal", "A", 200, 3)
    ]
    assert sum("taken_over" in one for one in counted.values()) == 3
    assert calibration.take_over(wanted, results, digests, 2, 1) == [
        "ideal, A, n = 200"
    ]  # asking again excuses nothing


def test_table_says_how_many_runs_were_taken_over():
    lines = [line(seed=seed, taken_over=True) for seed in range(3)] + [line(seed=3)]
    assert "3 of them were made by earlier code; in every cell of theirs (1)" in render(lines, "abc")
    assert "earlier code" not in render(lines[3:], "abc")


def test_readme_shows_no_number_that_the_table_does_not_hold():
    readme = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Can I trust the verdict?\n")[2].partition("\n## ")[0]
    table = (HERE / "calibration.md").read_text(encoding="utf-8")
    shown = [one for one in section.splitlines() if one.startswith("|")]
    assert len(shown) >= 10
    assert not [one for one in shown if one not in table.splitlines()]
    assert not set(re.findall(r"\d[\d,.]*\d|\d", section)) - set(re.findall(r"\d[\d,.]*\d|\d", table))


def test_the_committed_table_is_what_the_kept_runs_say():
    text = (HERE / "calibration.md").read_text(encoding="utf-8")
    written = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()
    lines = [json.loads(line) for line in gzip.decompress(calibration.KEPT.read_bytes()).splitlines()]
    digest = re.search(r"digest of the measuring code: `([0-9a-f]+)`", written)
    assert render(lines, digest[1]).strip() == written


def test_runs_are_kept_in_one_order_and_gone_on_from(tmp_path):
    lines = [
        {"scenario": "ideal", "population": "B", "rows": 200, "seed": seed, "digest": "x", "p": 0.5, "seconds": 1.5}
        for seed in (1, 0)
    ]
    for number, some in enumerate((lines, lines[::-1])):
        calibration.keep(some, tmp_path / f"{number}.gz")
    assert (tmp_path / "0.gz").read_bytes() == (tmp_path / "1.gz").read_bytes()
    calibration.begin(tmp_path / "build" / "results.jsonl", tmp_path / "0.gz")
    found = calibration.read_results(tmp_path / "build" / "results.jsonl")
    assert [line["seed"] for line in found] == [0, 1]
    assert all("seconds" not in line for line in found)
    (tmp_path / "build" / "results.jsonl").write_text("")
    calibration.begin(tmp_path / "build" / "results.jsonl", tmp_path / "0.gz")
    assert calibration.read_results(tmp_path / "build" / "results.jsonl") == []
