"""Diagnostics for unsupported code: place, message and hint."""

from __future__ import annotations

import ast
import linecache

from pycoro.compiling.tree import Place
from pycoro.errors import CompileError

__all__ = ["compile_error", "source_range_of"]


def source_range_of(node: ast.AST) -> Place:
    """Return the source range of a node."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    return Place(line, column, getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or column)


def compile_error(file: str, where: ast.AST | Place, message: str, hint: str = "") -> CompileError:
    """Return the error, with the source line and carets."""
    place = where if isinstance(where, Place) else source_range_of(where)
    text = linecache.getline(file, place.line).rstrip("\n")
    raw = text.encode()  # columns count UTF-8 bytes
    before = len(raw[: place.column].decode("utf-8", "replace"))
    end = len(raw) if place.end_line > place.line else place.end_column
    length = max(1, len(raw[place.column : end].decode("utf-8", "replace").rstrip()))
    shown = ""
    if text.strip():
        indent = len(text) - len(text.lstrip())
        shown = f"\n    {text.strip()}\n    {' ' * (before - indent)}{'^' * length}"
    help = f"\n  hint: {hint}" if hint else ""
    return CompileError(message, file, place.line, before + 1, f"{file}:{place.line}:{before + 1}: {message}{shown}{help}")
