"""How a command lists its arguments in `--help`: by their names alone, without Python's types and braces."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command whose arguments are shown as a manual shows them; options stay as typer writes them."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words behind the command's name in the line `Usage:`."""
        return ["[OPTIONS]", *(one.metavar for one in self._arguments(ctx))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options."""
        if arguments := [(one.metavar, one.help) for one in self._arguments(ctx)]:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == "option"]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record is not None])

    def _arguments(self, ctx: Any) -> list[Any]:
        return [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
