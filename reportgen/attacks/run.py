"""All attacks of one run, each with random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.inference import inference
from reportgen.attacks.linkability import linkability
from reportgen.attacks.singling_out import singling_out
from reportgen.attacks.targets import Targets, targets
from reportgen.attempts import Attacked, Attempts
from reportgen.model import NotMeasuredCode
from reportgen.persons import Persons
from reportgen.read.groups import RowGroups
from reportgen.settings import Settings

ATTACKS = ("singling_out", "linkability", "inference")


def attack(
    read: Attributes | None,
    rows: RowGroups,
    persons: Persons | None,
    settings: Settings,
    wanted: Collection[str],
    stream: Callable[[str], np.random.Generator],
    threads: int,
) -> Attacked:
    """Make the attacks that are wanted on the rows of these tables; `read` is None for signals.

    `persons`: whose the rows are, original before holdout. `stream` gives each purpose its random numbers. At most
    `settings.attacks` rows of each side are attacked, and at most so many predicates tried of each kind.
    """
    if read is None:
        return Attacked("records_of_signals", "records_of_signals", "records_of_signals")
    known = read.of(rows)
    people = targets(known.original, known.holdout, persons, stream("attacks"))
    if not isinstance(people, Targets):
        return Attacked(people, people, people)
    some = people.drawn(settings.attacks, stream("attacked"))
    singled: Mapping[str, Attempts] | NotMeasuredCode = "not_selected"
    linked: Attempts | NotMeasuredCode = "not_selected"
    inferred: Mapping[str, Attempts] | NotMeasuredCode = "not_selected"
    if "singling_out" in wanted:
        singled = singling_out(known, people, settings.attacks, stream("singling_out")) or "no_predicates"
    if "linkability" in wanted:
        linked = linkability(known, some, settings, stream("linkability"), threads)
    if "inference" in wanted:
        inferred = inference(known, some, settings, stream("inference"), threads)
    return Attacked(singled, linked, inferred)
