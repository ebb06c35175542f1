"""The package's long description, for scikit-build-core: README.md with absolute links, because an index has no other file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


def absolute_links(text: str, source: str) -> str:
    """Return Markdown whose relative links lead to a repository on GitHub, and whose relative pictures are its files."""
    raw = source.replace("https://github.com/", "https://raw.githubusercontent.com/")

    def absolute(link: re.Match[str]) -> str:
        mark, title, path = link.groups()
        place = f"{raw}/main" if mark else f"{source}/blob/main"
        return f"{mark}[{title}]({place}/{path})"

    return _LINK.sub(absolute, text)


def dynamic_metadata(field: str, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, str]:
    """Implement the interface of scikit-build-core's plugins."""
    assert field == "readme" and not settings
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return {"content-type": "text/markdown", "text": absolute_links(text, project["urls"]["Source"])}
