"""Write remarks as the YAML of LLVM's ``-pass-remarks-output``, one document per remark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pycoro.report import Remark

__all__ = ["remarks_yaml"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
"""Plain scalars that YAML does not read as text."""


def _yaml_scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text)


def _yaml_entry(key: str, value: str, indent: str = "") -> str:
    return f"{indent}{key + ':':<17}{value}\n"


def _yaml_document(remark: Remark) -> str:
    place = f"{{ File: {_yaml_scalar(remark.file)}, Line: {remark.line}, Column: {remark.column} }}"
    return "".join(
        (
            f"--- !{'Passed' if remark.passed else 'Missed'}\n",
            _yaml_entry("Pass", _yaml_scalar(remark.pass_name)),
            _yaml_entry("Name", _yaml_scalar(remark.name)),
            _yaml_entry("DebugLoc", place) if remark.line else "",
            _yaml_entry("Function", _yaml_scalar(remark.function)),
            "Args:\n",
            _yaml_entry("- String", _yaml_scalar(remark.message), "  "),
            "...\n",
        )
    )


def remarks_yaml(remarks: Iterable[Remark]) -> str:
    """Return one YAML document per remark, as opt-viewer and llvm-remarkutil read them."""
    return "".join(map(_yaml_document, remarks))
