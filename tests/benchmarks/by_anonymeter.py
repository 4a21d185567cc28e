"""Anonymeter's half of attacks.py: reads what is asked on stdin as JSON, prints rates, risks and CPU seconds as JSON.

Runs in a Python that has anonymeter 1.1.0, and needs nothing of reportgen.
"""

import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator


def evaluators(tables, asked, attempts):
    """Yield the name of each attack, its evaluator and how it is to be run."""
    tables = {**tables, "n_attacks": attempts}
    yield "singling out", SinglingOutEvaluator(**tables), {"mode": "univariate"}
    halves = (asked["first"], asked["second"])
    linking = LinkabilityEvaluator(**tables, aux_cols=halves, n_neighbors=asked["neighbours"])
    yield "linkability", linking, {"n_jobs": 1}
    for secret in asked["secrets"]:
        known = [name for name in tables["ori"].columns if name != secret]
        numeric = secret in asked["numbers"]
        guessing = InferenceEvaluator(**tables, aux_cols=known, secret=secret, regression=numeric)
        yield f"inference of {secret}", guessing, {"n_jobs": 1}


def measured(evaluator, how):
    """Run one attack."""
    begun = time.process_time()
    evaluator.evaluate(**how)
    seconds = time.process_time() - begun
    rates, risk = evaluator.results(), evaluator.risk(confidence_level=0.95)
    return {
        "attack": rates.attack_rate.value,
        "control": rates.control_rate.value,
        "baseline": rates.baseline_rate.value,
        "risk": risk.value,
        "low": risk.ci[0],
        "high": risk.ci[1],
        "seconds": seconds,
    }


def main():
    """Run everything that is asked."""
    warnings.filterwarnings("ignore")
    asked = json.loads(sys.stdin.read())
    original, control = (pd.read_csv(f"{asked['data']}/census2k-{side}.csv.gz") for side in ("trn", "hol"))
    found = {}
    for table, name in asked["tables"].items():
        tables = {"ori": original, "syn": pd.read_csv(f"{asked['data']}/{name}"), "control": control}
        if not found:
            for _, evaluator, how in evaluators(tables, asked, 20):  # compiles
                evaluator.evaluate(**how)
        np.random.seed(0)  # noqa: NPY002 -- it draws from the global state
        for attack, evaluator, how in evaluators(tables, asked, asked["attempts"]):
            found[f"{table} {attack}"] = measured(evaluator, how)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
