"""Every folder of real data beside the checkout is assessed, or refused with what to do."""

import shutil

import pytest

import reportgen
from reportgen import InputError
from reportgen.read.summary import describe_columns
from reportgen.runner import read_inputs
from reportgen.settings import Settings

FEW = {"metric": ["exact_copies", "distance_to_closest", "closest_rate"], "resamples": 100, "draws": 2}


@pytest.mark.parametrize(
    ("original", "synthetic", "holdout", "rows", "left_out"),
    [
        (
            "census2k/census2k-trn.csv.gz",
            "census2k/census2k-syn_mostly.csv.gz",
            "census2k/census2k-hol.csv.gz",
            2000,
            [],
        ),
        ("adult100_anonymeter/adults_ori.csv", "adult100_anonymeter/adults_syn.csv", None, 100, []),
        ("penguins/penguins_train.csv", "penguins/penguins_BN_syn.csv", "penguins/penguins_test.csv", 267, []),
        (
            "student_placements/student_placements_real.csv",
            "student_placements/student_placements_synthetic.csv",
            None,
            215,
            ["student_id"],
        ),
        ("sdmetrics_timeseries/timeseries_real.csv", "sdmetrics_timeseries/timeseries_synthetic.csv", None, 700, []),
        ("sdmetrics_multitable/users_real.csv", "sdmetrics_multitable/users_synthetic.csv", None, 10, ["user_id"]),
        ("sdnist_na2019/na2019_1000.csv", "sdnist_na2019/na2019_1000.csv", None, 1000, ["Unnamed: 0"]),
    ],
)
def test_each_folder_of_tables_is_assessed(shared, original, synthetic, holdout, rows, left_out):
    data = shared / "data"
    found = reportgen.assess(data / original, data / synthetic, None if holdout is None else data / holdout, **FEW)
    assert found.result.inputs.original.rows == rows
    assert [column.name for column in found.columns if not column.used] == left_out
    assert all(found.metrics[key].status == "measured" for key in FEW["metric"])
    assert found.verdict.level != "low"  # metrics are missing
    if original == synthetic:
        assert found.verdict.level == "high"


def test_signals_are_assessed_by_the_key_of_their_array(shared):
    path = shared / "data" / "ecg_mitbih100" / "original_and_holdout.npz"
    with pytest.raises(InputError, match=r"it holds several arrays; give original_and_holdout\.npz:KEY"):
        reportgen.assess(path, path)
    found = reportgen.assess(f"{path}:original", f"{path}:holdout", **FEW)
    assert found.result.inputs.original.rows == 300


def test_a_file_of_unknown_format_is_named_and_read_under_a_known_one(shared, tmp_path):
    path = shared / "data" / "uci_adult" / "adult.data.gz"
    with pytest.raises(InputError, match=r"the format of 'adult\.data\.gz' is not known; give one of \.csv"):
        reportgen.assess(path, path)
    copy = shutil.copy(path, tmp_path / "adult.csv.gz")
    columns = {column.name: column for column in describe_columns(read_inputs(copy, copy, None, Settings()))}
    assert columns["age"].kind == "numeric"
    assert columns["workclass"].missing.original == 1836
    assert all(column.used for column in columns.values())


def test_a_folder_of_several_tables_is_refused_with_what_to_do(shared):
    folder = shared / "data" / "sdmetrics_multitable"
    with pytest.raises(InputError, match=r"holds several tables .* join them into one first, or give one file of them"):
        reportgen.assess(folder, folder)
