"""Arrays of signals through the whole assessment, against values computed apart from it."""

import importlib.util
import itertools
import json

import numpy as np
import pytest

import reportgen
from reportgen import cli


def waves(records, seed, leads=2, samples=60):
    """Sums of two waves of random height and phase on a random level, with noise."""
    random = np.random.default_rng(seed)
    time = np.arange(samples)
    height = random.lognormal(0, 0.3, size=(records, leads, 2, 1))
    phase = random.uniform(0, 2 * np.pi, size=(records, 1, 1, 1))
    turns = np.array([2.0, 5.0])[:, np.newaxis] * time / samples
    level = random.normal(0, 0.3, size=(records, leads, 1))
    return (
        (height * np.sin(2 * np.pi * turns + phase)).sum(axis=2)
        + level
        + random.normal(0, 0.05, size=(records, leads, samples))
    )


def seven(signal):
    """The features as the seed words them, one sample after the other."""
    n, mean = len(signal), sum(signal) / len(signal)
    deviations = [x - mean for x in signal]
    power = sum(x * x for x in signal) / n
    signs = [(x > 0) - (x < 0) for x in signal]
    crossings = sum(abs(b - a) for a, b in itertools.pairwise(signs)) / (2 * (n - 1))
    squares = sum(c * c for c in deviations)
    lag = sum(a * b for a, b in itertools.pairwise(deviations)) / (squares + 1e-9)
    return [mean, (squares / n) ** 0.5, power**0.5, max(map(abs, signal)), power, crossings, lag]


def brute_force(original, synthetic, holdout):
    """Score, baseline, threshold, authenticity and the holdout's of one lead, all pairs in float64."""
    raw = [np.array([seven(signal.tolist()) for signal in one]) for one in (original, synthetic, holdout)]
    spread = raw[0].std(axis=0)
    real, new, held = (one[:, spread > 0] / spread[spread > 0] for one in raw)

    def pairs(queries, base):
        return np.sqrt(((queries[:, np.newaxis] - base) ** 2).sum(axis=2))

    among = pairs(real, real)
    np.fill_diagonal(among, np.inf)
    closest = among.min(axis=1)
    tau = np.median(closest)
    return {
        "score": pairs(real, new).min(axis=1).mean(),
        "baseline": closest.mean(),
        "threshold": tau,
        "authenticity": (pairs(new, real).min(axis=1) > tau).mean(),
        "holdout": (pairs(held, real).min(axis=1) > tau).mean(),
    }


def assess(*inputs, **settings):
    return reportgen.assess(*inputs, resamples=100, draws=2, **settings)


@pytest.fixture(scope="module")
def triple():
    return waves(60, 1), waves(50, 2), waves(40, 3)


def test_values_agree_with_all_pairs_of_records_by_the_seeds_words(triple):
    scores = assess(*triple, lead_names=["I", "V1"]).metrics["nn_dist"].scores
    expected = [brute_force(*(one[:, lead] for one in triple)) for lead in range(2)]
    for name, values in zip(("I", "V1"), expected, strict=True):
        assert scores[f"lead:{name}:score"].value == pytest.approx(values["score"], rel=1e-9)
        assert scores[f"lead:{name}:score"].reference == pytest.approx(values["baseline"], rel=1e-9)
        assert scores[f"lead:{name}:threshold"].value == pytest.approx(values["threshold"], rel=1e-9)
        assert scores[f"lead:{name}:authenticity"].value == values["authenticity"]
        assert scores[f"lead:{name}:authenticity"].reference == values["holdout"]
    for name, key in (("value", "score"), ("reference", "baseline")):
        assert getattr(scores["score"], name) == pytest.approx(np.mean([one[key] for one in expected]), rel=1e-9)
    assert scores["authenticity"].value == pytest.approx(np.mean([one["authenticity"] for one in expected]))


@pytest.mark.parametrize("case", ["novel", "noisy_copies", "self"])
def test_values_agree_with_those_of_another_program(shared, case):
    script = importlib.util.spec_from_file_location("toy_ecg", shared / "oracle" / "toy_ecg.py")
    toy = importlib.util.module_from_spec(script)
    script.loader.exec_module(toy)
    expected = json.loads((shared / "oracle" / "nn_dist_expected.json").read_text())[case]
    original, synthetic = next((real, made) for name, real, made in toy.cases() if name == case)
    scores = assess(original, synthetic, metric="nn_dist", lead_names=toy.LEADS).metrics["nn_dist"].scores
    assert scores["score"].value == pytest.approx(expected["score"], rel=1e-5)
    for lead in toy.LEADS:
        score, threshold = scores[f"lead:{lead}:score"], scores[f"lead:{lead}:threshold"]
        assert score.value == pytest.approx(expected["per_lead_score"][lead], rel=1e-5)
        assert score.reference == pytest.approx(expected["per_lead_real_real_mean"][lead], rel=1e-5)
        assert threshold.value == pytest.approx(expected["per_lead_threshold"][lead], rel=1e-5)
        assert scores[f"lead:{lead}:authenticity"].value == expected["per_lead_authenticity"][lead]


def test_every_metric_of_tables_runs_on_all_leads_together(triple):
    found = assess(*triple)
    assert found.result.space.projection == "signals"
    assert found.result.space.fitted_on == "original"
    assert found.result.space.dimensions == 14
    assert [column.name for column in found.columns][:2] == ["1: mean", "1: standard deviation"]
    assert {column.kind for column in found.columns} == {"numeric"}
    for key in ("exact_copies", "distance_to_closest", "closest_distances_ratio", "closest_rate", "nndr", "nn_dist"):
        assert found.metrics[key].status == "measured"


def test_unequal_sets_are_drawn_down_and_a_missing_holdout_is_halved_as_for_tables(triple):
    assert assess(*triple).holdout.draws == 2
    assert assess(*triple[:2]).holdout.kind == "approximate"


def test_the_memorising_control_stands_beside_each_lead(triple):
    found = assess(*triple)
    control = found.result.controls.memorising.scores["nn_dist"]
    for name in ("score", "lead:1:score", "lead:2:score"):
        assert control[name].value < found.metrics["nn_dist"].scores[name].value


def test_a_copy_is_found_among_all_records_and_a_record_played_backwards_is_none(triple):
    """Both are at distance 0 in the features."""
    original, synthetic, holdout = triple
    one, backwards = synthetic.copy(), synthetic.copy()
    one[17], backwards[17] = original[33], original[33, :, ::-1]
    found = assess(original, one, holdout)
    assert found.metrics["exact_copies"].scores["synthetic_rows"].value == 1 / 50
    assert found.metrics["nn_dist"].distributions["lead:1:synthetic"].zero_count == 1
    assert found.verdict.level == "moderate"
    assert assess(original, backwards, holdout).metrics["exact_copies"].scores["synthetic_rows"].value == 0


def test_copies_of_a_fifth_of_the_records_are_high(triple):
    original, synthetic, holdout = triple
    leaky = synthetic.copy()
    leaky[:10] = original[:10]
    assert assess(original, leaky, holdout).verdict.level == "high"


def test_a_flat_lead_is_named_and_not_among_the_means(triple):
    flat = [one.copy() for one in triple]
    for one in flat:
        one[:, 1] = 0
    found = assess(*flat, lead_names=["I", "aVF"])
    scores = found.metrics["nn_dist"].scores
    assert not any(name.startswith("lead:aVF:") for name in scores)
    assert scores["score"].value == scores["lead:I:score"].value
    assert scores["authenticity"].value == scores["lead:I:authenticity"].value
    assert [(lead.name, lead.flat) for lead in found.result.leads] == [("I", False), ("aVF", True)]
    assert any("Lead 'aVF' is flat in every original record" in finding.text for finding in found.findings)


def test_records_without_any_wave_are_not_measured():
    found = assess(np.zeros((30, 2, 8)), waves(30, 1, samples=8))
    assert {found.metrics[key].code for key in ("nn_dist", "exact_copies", "nndr")} == {"flat_leads"}


def test_flat_lines_at_levels_of_their_own_are_compared_by_all_leads_and_not_by_nn_dist():
    levels = np.random.default_rng(0).normal(size=(2, 30, 1, 1)) * np.ones((1, 1, 1, 8))
    found = assess(levels[0], levels[1])
    assert found.metrics["nn_dist"].code == "flat_leads"
    assert found.metrics["nndr"].status == "measured"


@pytest.mark.parametrize(("original", "synthetic"), [(1, 30), (30, 1), (2, 30), (1, 1)])
def test_one_record_is_not_measured(original, synthetic):
    found = assess(waves(original, 1), waves(synthetic, 2))
    assert found.metrics["nn_dist"].code == "too_few_rows"
    assert found.verdict.level == "inconclusive"


def test_records_of_another_length_are_measured_and_noted(triple):
    found = assess(triple[0], triple[1][:, :, :45], triple[2])
    assert found.metrics["nn_dist"].status == "measured"
    assert found.result.inputs.synthetic.samples == 45
    assert any("have 45 samples, those of original array 60" in finding.text for finding in found.findings)


def test_integers_are_signals_like_any_other(triple):
    whole = [np.round(one * 200).astype(np.int16) for one in triple]
    assert assess(*whole).metrics == assess(*(one.astype(float) for one in whole)).metrics


def test_the_unit_of_the_samples_changes_no_score(triple):
    """A power of two rounds nothing; the lag's 1e-9 is the one thing that knows the unit."""
    one, other = (assess(*(array * unit for array in triple), metric="nn_dist") for unit in (1, 1024))
    for name, score in one.metrics["nn_dist"].scores.items():
        assert other.metrics["nn_dist"].scores[name].value == pytest.approx(score.value, rel=1e-6)


def test_the_order_of_records_changes_nothing(triple):
    shuffled = [np.random.default_rng(9).permutation(one) for one in triple]
    one, other = assess(*triple), assess(*shuffled)
    assert one.metrics == other.metrics
    assert one.result.controls == other.result.controls


def test_the_same_files_give_the_same_bytes(triple, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for name, array in zip(("t", "s", "h"), triple, strict=True):
        np.save(tmp_path / f"{name}.npy", array)
    runs = [
        reportgen.assess(tmp_path / "t.npy", tmp_path / "s.npy", tmp_path / "h.npy", resamples=100, jobs=jobs).to_json()
        for jobs in (1, 2)
    ]
    assert runs[0] == runs[1]
    for number in triple[0][0].ravel()[:20]:
        assert repr(float(number)) not in runs[0]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, triple):
    """Run the command in a folder with train.npy and synth.npy; returns exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    np.save("train.npy", triple[0])
    np.save("synth.npy", triple[1])
    np.savez("held.npz", first=triple[2], second=triple[2])

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            cli.main(["assess", "train.npy", "synth.npy", *words])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call


def test_the_command_takes_leads_rate_and_the_key_of_an_array(run):
    words = ("--holdout", "held.npz:first", "--lead-names", "MLII, V5", "--sampling-rate", "360", "--fail-on", "never")
    code, out, _ = run(*words, "-m", "nn_dist", "-o", "-")
    assert code == 0
    result = json.loads(out)
    assert "lead:V5:score" in result["metrics"]["nn_dist"]["scores"]
    assert result["settings"]["sampling_rate"] == 360
    assert "--lead-names MLII,V5 --sampling-rate 360.0" in result["command"]
    assert result["inputs"]["holdout"]["rows"] == 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--lead-names", "I"), "1 name for 2 leads of train.npy"),
        (("--lead-names", "I,I"), "more than one lead is named 'I'"),
        (("--lead-names", "I,"), "give a name for each lead"),
        (("--sampling-rate", "0"), "sampling_rate"),
        (("--holdout", "held.npz"), "several arrays"),
    ],
)
def test_what_does_not_fit_is_one_line_and_exit_code_2(run, words, said):
    code, _, err = run(*words)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_dry_run_lists_every_lead_and_feature(run):
    out = run("--dry-run")[1]
    assert sum("\tfile\t" not in line for line in out.splitlines()) == 14
    assert " records of " in out
    assert "'2: lag-1 autocorrelation'\tnumeric\tused" in out
