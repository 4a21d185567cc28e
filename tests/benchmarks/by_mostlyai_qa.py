"""mostlyai-qa's half of report.py: its HTML report of three tables.

    python tests/benchmarks/by_mostlyai_qa.py ORIGINAL SYNTHETIC HOLDOUT REPORT.html

Runs in a Python that has mostlyai-qa, and needs nothing of reportgen.
"""

import sys

import pandas as pd
from mostlyai import qa


def main():
    """Write the report, with the settings that a call without any has."""
    original, synthetic, holdout = (pd.read_csv(path) for path in sys.argv[1:4])
    path, metrics = qa.report(
        syn_tgt_data=synthetic, trn_tgt_data=original, hol_tgt_data=holdout, report_path=sys.argv[4]
    )
    if metrics is None or not path.stat().st_size:
        raise SystemExit("no report was made")


if __name__ == "__main__":
    main()
