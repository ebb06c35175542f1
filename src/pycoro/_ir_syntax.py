"""Regular expressions for names in textual IR, which other patterns contain."""

from __future__ import annotations

__all__ = ["GLOBAL", "LOCAL", "NAME", "WORD"]

WORD = r'(?:[-\w$.]+|"[^"]*")'
"""A name without its sigil, quoted or not; also a label."""

LOCAL = f"%{WORD}"
GLOBAL = f"@{WORD}"
NAME = f"(?:{LOCAL}|{GLOBAL})"
