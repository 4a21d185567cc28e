"""What stands below the options in `--help`: exit codes, sources, and the codes that a script meets."""

from __future__ import annotations

from typing import get_args

from reportgen.codes import ReasonCode

EXIT_CODES = (
    "Exit codes: 0 the gate is met, 1 it is not (all outputs are written first), 2 the command or its input is wrong, "
    "3 the environment cannot do it, 130 interrupted. 3 wins over 1."
)
SOURCES = (
    "Data goes to stdout, messages to stderr. Each option of assess and check can also be given as REPORTGEN_NAME in "
    "the environment (several names separated by commas) or as name in reportgen.toml; the option wins, then the "
    "environment."
)
REASONS = get_args(ReasonCode)
RULES = ("verdict", "measured", "tolerance", "holdout", "age", "tool_version", "settings.NAME", "METRIC.SCORE")
AGAINST_BASELINE = ("baseline", "baseline.verdict", "baseline.METRIC.SCORE")

DONE = "Exit codes: 0 it is done, 2 the command or its input is wrong, 3 the environment cannot do it, 130 interrupted."
"""Of commands without a gate."""
DOCTOR = "Exit codes: 0 every format can be written, 3 something is missing, named with what installs it."
APP = f"{EXIT_CODES}\n\n{SOURCES}"
ASSESS = f"{EXIT_CODES}\n\n{SOURCES}\n\nReason codes of a verdict in the result: {', '.join(REASONS)}."
CHECK = (
    f"Each line on stdout is state, rule, value, limit and sentence, separated by tabs. Rules: "
    f"{', '.join((*RULES, *AGAINST_BASELINE))}.\n\n{ASSESS}"
)
"""What `reportgen check --help` ends with."""
VERIFY = (
    "Each line on stdout is state (holds, fails, can't be checked), statement and sentence, separated by tabs. Exit "
    "codes: 0 every statement holds, 1 one doesn't or can't be checked, 2 the command or its input is wrong, 3 the "
    "environment cannot do it."
)
COMPARE = (
    "Exit codes: 0 both were read, 1 with --fail-on-worse where the newer is worse or they do not compare, 2 the "
    "command or its input is wrong, 3 the environment cannot do it."
)
