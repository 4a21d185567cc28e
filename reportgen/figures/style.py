"""How the figures look: sizes, colours, dashes, faces. The one place that loads matplotlib, when letters are measured.

Lengths are points (1/72 inch) unless a name says mm. The hosts' fonts and their matplotlibrc do not matter: every text
is set in the packaged faces by their file, and measuring and outlining them run under `settings()`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from reportgen._resources import resource
from reportgen.errors import EnvironmentLacking

if TYPE_CHECKING:
    from collections.abc import Iterator

MM = 72 / 25.4
WIDE, NARROW = 174 * MM, 92 * MM
"""Widths of a figure on paper and wide screens, and on telephones."""

INK, MUTED, SHADE = "#1A1D21", "#565C64", "#ECEEF0"
REFERENCE, SYNTHETIC = "#0072B2", "#D55E00"
REFERENCE_WORDS, SYNTHETIC_WORDS = "#00669F", "#B04A00"
"""The same for words: 4.5 : 1 on white and on every shade, which the colours of the lines do not reach (WCAG 1.4.3)."""
REFERENCE_FILL, SYNTHETIC_FILL, HATCH = "#E6F0F8", "#FBE9DF", "#8FBEDD"
REFERENCE_STEPS = ("#DCEAF4", "#A9CDE6", "#6BA9D2", "#2C7FB8", "#084A75")
SYNTHETIC_STEPS = ("#FBE3D6", "#F5BD9C", "#E98D57", "#C65A10", "#7A3200")
"""Shades of cells, each step darker than the one before in grey as well."""
DASH = (9.0, 1.3)
DOTS = (1.0, 2.0)
"""Dashes and gaps, as multiples of a line's width."""
THIN, THICK, RULE = 0.9, 2.1, 0.6

FAMILY = "Reportgen Sans"
SIZE, TICK_SIZE, TITLE_SIZE = 8.5, 8.0, 9.0
PITCH = 1.27
"""Distance of two lines of text, as a multiple of the size."""

_NOT_STYLE = {"backend", "backend_fallback", "interactive", "timezone", "toolbar", "webagg.port"}
_IN_FORCE = ContextVar("settings in force", default=False)


class Toolbox(NamedTuple):
    """The parts of matplotlib that the figures use."""

    rc_context: Any
    defaults: dict[str, Any]
    get_font: Any
    regular: Any
    semibold: Any
    text_to_path: Any


@functools.cache
def toolbox() -> Toolbox:
    """Load matplotlib and the packaged faces, once. Raise EnvironmentLacking without any writable folder."""
    with _quiet():
        try:
            matplotlib = importlib.import_module("matplotlib")
            manager = importlib.import_module("matplotlib.font_manager")
        except OSError:
            msg = "no figure can be drawn: matplotlib needs a writable folder, set MPLCONFIGDIR to one"
            raise EnvironmentLacking(msg) from None
        faces = {
            name: str(resource("assets", "fonts", f"ReportgenSans-{name}.ttf")) for name in ("Regular", "SemiBold")
        }
        return Toolbox(
            rc_context=matplotlib.rc_context,
            defaults={key: value for key, value in matplotlib.rcParamsDefault.items() if key not in _NOT_STYLE},
            get_font=manager.get_font,
            regular=manager.FontProperties(family=FAMILY, weight=400, fname=faces["Regular"]),
            semibold=manager.FontProperties(family=FAMILY, weight=600, fname=faces["SemiBold"]),
            text_to_path=importlib.import_module("matplotlib.textpath").text_to_path,
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep matplotlib from remarking on a read-only home folder or on its font cache while it is loaded."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """Measure and outline letters under matplotlib's defaults, whatever the host's matplotlibrc says.

    Matplotlib checks some three hundred settings each time: within `settings()` another one has nothing to do.
    """
    if _IN_FORCE.get():
        yield
        return
    tools = toolbox()
    with tools.rc_context(tools.defaults):
        token = _IN_FORCE.set(True)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)


@functools.cache
def face(size: float, *, bold: bool) -> Any:
    """Return the FontProperties of one of the two packaged faces; they must not be changed."""
    properties = (toolbox().semibold if bold else toolbox().regular).copy()
    properties.set_size(size)
    return properties


def font(*, bold: bool) -> Any:
    """Return one of the two packaged faces as FreeType's, at 100 units to its size. Call under `settings()`."""
    tools = toolbox()
    loaded = tools.get_font((tools.semibold if bold else tools.regular).get_file())
    loaded.set_size(100, 72)
    return loaded
