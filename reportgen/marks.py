"""The texts that mean a missing value without being declared.

Beside names of categories they are the only texts of cells that a result may quote without being told.
"""

from __future__ import annotations

import string

_SPREADSHEET = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
CERTAIN = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "\\N", *_SPREADSHEET)
"""Missing in every column. \\N is PostgreSQL's and MySQL's, the others with # stand for errors in spreadsheets."""
_STATISTICS = ("._", *(f".{letter}" for letter in string.ascii_letters))
"""Kinds of missing values in SAS (.A) and Stata (.a)."""
AMONG_NUMBERS = ("-", "--", ".", "N", "None", "none", "n/a", "na", "Null", "NAN", "NaT", "<NA>", *_STATISTICS)
"""Missing where all other values of the column are numbers or dates; elsewhere they may be categories."""
KNOWN = frozenset((*CERTAIN, *AMONG_NUMBERS)) - {""}
"""All of them; the empty cell needs no name."""
