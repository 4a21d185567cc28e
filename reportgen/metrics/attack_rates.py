"""Rates of attacks and the risk that they show: what succeeds on original rows beyond what succeeds on anybody."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.attempts import Attempts, Brought, Tries
from reportgen.copies import holm
from reportgen.model import Measured, NoteCode, NotMeasuredCode, Score
from reportgen.verdict.intervals import wilson


@dataclass(frozen=True)
class Risk:
    """An estimate with its 95 % interval, all 0-1."""

    value: float
    low: float
    high: float


def risk_of(attack: Tries, control: Tries) -> Risk:
    """(attack - control) / (1 - control): of the room that the control leaves, the part that the attack wins.

    Less than no risk is none. The interval is that of the delta method, with the standard errors of Wilson's
    intervals, which are above 0 also at 0 and n hits; where every control succeeds there is no room and no risk.
    """
    (a_low, a_high), (c_low, c_high) = wilson(*attack), wilson(*control)
    c = control.rate
    value = (attack.rate - c) / (1 - c) if c < 1 else 0.0
    room = 1 - (c_low + c_high) / 2  # above 0, as Wilson's interval is never the point 1
    reach = ((a_high - a_low) ** 2 + ((1 - attack.rate) / room) ** 2 * (c_high - c_low) ** 2) ** 0.5 / (2 * room)
    return Risk(*(min(1.0, max(0.0, end)) for end in (value, value - reach, value + reach)))


def trusted(attempts: Attempts) -> bool:
    """Whether the attack surely does better than guessing; one that doesn't is too weak to tell anything.

    Surely: the difference of the two rates has a 95 % interval above 0, put together from their own (Newcombe 1998,
    his method 10). A baseline that is reckoned has no width, and then the attack's interval lies above it.
    """
    low, high = wilson(*attempts.attack)[0], guessing(attempts)[1]
    over = attempts.attack.rate - attempts.baseline
    return over > math.hypot(attempts.attack.rate - low, high - attempts.baseline)


def guessing(attempts: Attempts) -> tuple[float, float]:
    """Wilson's interval of the baseline; itself twice where it is reckoned."""
    if attempts.guesses is None:
        return attempts.baseline, attempts.baseline
    return wilson(round(attempts.baseline * attempts.guesses), attempts.guesses)


def surest(named: Mapping[str, Attempts], *, by_value: bool = True) -> str:
    """Name the attack that surely won the most: by the risk's lower bound, those to be trusted first, by its value.

    Then the first. Without `by_value` the value does not count, so that no noise chooses. Without controls it is what
    was won over guessing.
    """

    def won(name: str) -> tuple[float, bool, float]:
        one = named[name]
        if one.control is not None:
            risk = risk_of(one.attack, one.control)
            return risk.low, trusted(one), risk.value if by_value else 0.0
        return one.attack.rate - one.baseline, trusted(one), 0.0

    return max(named, key=won)


def outcome(brought: Brought, **how: Any) -> Measured | NotMeasuredCode:
    """Put what a family of attacks brought into scores, as `measured` does; raise the error that ended it."""
    if isinstance(brought, Exception):
        raise brought
    return brought if isinstance(brought, str) else measured(brought, **how)


def measured(named: Mapping[str, Attempts], *, prefix: str = "", by_value: bool = True) -> Measured:
    """Put attacks of one family into scores: those of the surest, and of each under its own name.

    `prefix` comes before each name. One p-value stands for the family, the smallest after Holm among its members; each
    member's own is adjusted in the same way. A member without a name has no scores of its own. `by_value`: see
    `surest`.
    """
    main = named[surest(named, by_value=by_value)]
    adjusted = _adjusted(named)
    scores = scores_of(main, min(adjusted.values(), default=None))
    scores["attacks"] = Score(value=float(main.attack.number), unit="count", better="context")
    if main.control is not None:
        scores["control_attacks"] = Score(value=float(main.control.number), unit="count", better="context")
    for name, one in named.items():
        own = scores_of(one, adjusted.get(name)) if name else {}
        scores |= {f"{prefix}{name}{':' if prefix else '_'}{score}": value for score, value in own.items()}
    notes: list[NoteCode] = []
    weak = [not trusted(one) for one in named.values()]
    if any(weak):
        notes.append("not_trusted" if all(weak) else "partly_trusted")
    if main.control is None:
        notes.append("no_control")
    return Measured(scores=scores, notes=tuple(notes))


def scores_of(attempts: Attempts, p_value: float | None) -> dict[str, Score]:
    """The scores of one attack; risk and control only where there is a control, and a note where it tells nothing."""
    scores = {}
    if attempts.control is not None:
        risk = risk_of(attempts.attack, attempts.control)
        scores["risk"] = Score(value=risk.value, low=risk.low, high=risk.high, unit="share", better="lower")
    low, high = wilson(*attempts.attack)
    reference = None if attempts.control is None else attempts.control.rate
    note: NoteCode | None = None if trusted(attempts) else "not_trusted"
    scores["attack_rate"] = Score(
        value=attempts.attack.rate, low=low, high=high, reference=reference, unit="share", better="lower", note=note
    )
    if attempts.control is not None:
        low, high = wilson(*attempts.control)
        scores["control_rate"] = Score(value=attempts.control.rate, low=low, high=high, unit="share", better="context")
    ends = (None, None) if attempts.guesses is None else guessing(attempts)
    scores["baseline_rate"] = Score(value=attempts.baseline, low=ends[0], high=ends[1], unit="share", better="context")
    if p_value is not None:
        scores["p_value"] = Score(value=p_value, unit="probability", better="higher")
    return scores


def _adjusted(named: Mapping[str, Attempts]) -> dict[str, float]:
    known = {name: one.p_value for name, one in named.items() if one.p_value is not None}
    return dict(zip(known, holm(list(known.values())), strict=True))
