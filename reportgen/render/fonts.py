"""The packaged fonts of the style sheets: inside the page, or under addresses that only our own fetcher knows.

A page holds WOFF2, which is small. For paper the same faces are taken as TTF: WeasyPrint would unpack WOFF2 every time.
"""

from __future__ import annotations

import base64
import re
from typing import Literal

from reportgen._resources import resource

SCHEME = "reportgen:"
_ADDRESS = re.compile(r"url\(\.\./fonts/([A-Za-z-]+)\.woff2\) format\(\"woff2\"\)")


def with_fonts(css: str, fonts: Literal["inline", "packaged"]) -> str:
    """Replace the relative addresses of fonts in a style sheet."""
    if fonts == "inline":
        return _ADDRESS.sub(lambda found: f'url({_data_uri(f"{found[1]}.woff2")}) format("woff2")', css)
    return _ADDRESS.sub(lambda found: f'url({SCHEME}{found[1]}.ttf) format("truetype")', css)


def font(name: str) -> bytes:
    """Read a packaged font."""
    return resource("assets", "fonts", name).read_bytes()


def _data_uri(name: str) -> str:
    return f"data:font/woff2;base64,{base64.b64encode(font(name)).decode()}"
