"""What the user says of the attacks, held against the columns."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.errors import InputError
from reportgen.read.naming import shown_name
from reportgen.read.partition import ColumnSchema
from reportgen.settings import Settings


def check_attacked(columns: Sequence[ColumnSchema], settings: Settings) -> None:
    """Refuse secrets and halves that name a column which is left out, or that leave nothing to join.

    The names are those of columns already.
    """
    left_out = {column.name: column.left_out for column in columns if not column.used}
    for option in ("secret", "link", "link_with"):
        for name in getattr(settings, option):
            if name in left_out:
                msg = (
                    f"--{option.replace('_', '-')}: column {shown_name(name)} takes no part in any comparison: "
                    f"{left_out[name]}; name another column"
                )
                raise InputError(msg)
    if not settings.link:
        if settings.link_with:
            msg = "--link-with: names one of two files; name the columns of the other with --link"
            raise InputError(msg)
        return
    for name in settings.link:
        if name in settings.link_with:
            msg = f"column {shown_name(name)} is named by both --link and --link-with; choose one"
            raise InputError(msg)
    if not settings.link_with and {*settings.link} == {column.name for column in columns if column.used}:
        msg = "--link: names every column that is compared; leave some for the other file"
        raise InputError(msg)
