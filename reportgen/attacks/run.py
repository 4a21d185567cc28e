"""All attacks of one run, each with random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.inference import inference
from reportgen.attacks.linkability import linkability
from reportgen.attacks.singling_out import singling_out
from reportgen.attacks.targets import Targets, targets
from reportgen.attempts import Attacked, Brought
from reportgen.persons import Persons
from reportgen.read.groups import RowGroups
from reportgen.score_names import ATTACKS
from reportgen.settings import Settings


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
    attacks: dict[str, Callable[[], Brought]] = {
        "singling_out": lambda: (
            singling_out(known, people, settings.attacks, stream("singling_out")) or "no_predicates"
        ),
        "linkability": lambda: linkability(known, some, settings, stream("linkability"), threads),
        "inference": lambda: inference(known, some, settings, stream("inference"), threads),
    }
    return Attacked(**{key: _brought(attacks[key]) if key in wanted else "not_selected" for key in ATTACKS})


def _brought(attack: Callable[[], Brought]) -> Brought:
    """Make one attack: a fault in it must not take the others with it, and its own metric will tell of it."""
    try:
        return attack()
    except Exception as error:  # noqa: BLE001 -- it is raised again where a metric's faults are counted
        return error
