"""Everything that the user set of the look of reports, read and checked before anything is measured."""

from __future__ import annotations

from pathlib import Path

from reportgen.look import LookTable
from reportgen.render.drawn import PLAIN, Look
from reportgen.render.logo import read_logo
from reportgen.render.own_colours import own_colours
from reportgen.render.own_templates import check_templates, given_names, read_templates
from reportgen.render.page import environment, packaged_templates


def make_look(table: LookTable | None, template_dir: str | None) -> Look:
    """Read the logo and the templates, and check them and the colours; InputError, one line, where one is wrong.

    `table` is `[look]` of the config file. Paths start from the working folder.
    """
    given = table or LookTable()
    templates = {} if template_dir is None else read_templates(Path(template_dir))
    logo = None if given.logo is None else read_logo(given.logo, given.logo_alternative or "")
    look = Look(
        templates=tuple(templates.items()),
        light=own_colours("light", given.light),
        dark=own_colours("dark", given.dark),
        colours=tuple(f"{scheme}.{key}" for scheme in ("light", "dark") for key in getattr(given, scheme).given()),
        logo=logo,
    )
    if templates:
        packaged = packaged_templates()
        check_templates(templates, environment(look), packaged, given_names(environment(), packaged))
    return look if look.own else PLAIN
