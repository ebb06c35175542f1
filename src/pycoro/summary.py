"""Summaries: the frame layouts that a module publishes for callers in other translation units."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, cast

from pycoro._atomicwrite import write_atomically_if_regular
from pycoro._encode import checked_path_text
from pycoro._escape import printable
from pycoro._module_class import module_class
from pycoro._typecheck import takes
from pycoro.errors import Diagnostic, FileError
from pycoro.ir.builder import Builder
from pycoro.ir.constant import GlobalAlias
from pycoro.module import Module

__all__ = ["import_summary", "publish", "read_summary", "summary", "write_summary"]

FORMAT = "pycoro-summary"
FORMAT_VERSION = 1

_NAME = re.compile(r"(.+)\.noalloc\.v1\.([0-9]{1,12})\.([0-9]{1,7})(?:\.h(1(?:\.[a-z0-9_]+)*))?")
_HANDLE = re.compile(r"[0-9]{1,9}(?:,[a-z0-9_]+)*")
_TARGET = re.compile(r'^target (triple|datalayout) = "([^"]*)"', re.MULTILINE)


def publish(module: Module) -> None:
    """Mark the module's coroutines for publication when they are split: those with external linkage that only this module defines.
    Call it before splitting.

    >>> from pycoro import summary
    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> summary.publish(module)
    >>> report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    >>> [coroutine["name"] for coroutine in summary.summary(module)["coroutines"]]
    ['counter']
    """
    builder = Builder(module)
    for function in [*module.functions.values()]:
        if function.is_presplit and function.linkage == "external":
            builder.add_attribute(function, '"coro-publish"')


def _target_of_module(module: Module) -> dict[str, str]:
    found = dict(_TARGET.findall(module._core.outline()))
    return {"triple": found.get("triple", ""), "datalayout": found.get("datalayout", "")}


@takes(module=module_class)
def summary(module: Module) -> dict[str, Any]:
    """Return the published coroutines of a split module, for JSON.

    >>> from pycoro import summary
    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> summary.publish(module)
    >>> report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    >>> summary.summary(module)["coroutines"]
    [{'name': 'counter', 'abi': 'switch', 'size': 32, 'align': 8, 'handle': '1,r,ramp,unwound,resume,nounwind'}]
    """
    coroutines: dict[str, dict[str, Any]] = {}
    functions = module.functions
    for name, value in module.globals.items():
        match = _NAME.fullmatch(name)
        ramp = functions.get(match[1]) if match and isinstance(value, GlobalAlias) else None
        if match and ramp is not None and "coro-publish" in (ramp.attributes or {}):
            entry = {"name": match[1], "abi": "switch", "size": int(match[2]), "align": int(match[3])}
            handle = {"handle": match[4].replace(".", ",")} if match[4] else {}
            coroutines[match[1]] = entry | coroutines.get(match[1], {}) | handle
    return {"format": FORMAT, "version": FORMAT_VERSION, **_target_of_module(module), "coroutines": [*coroutines.values()]}


@takes(module=module_class)
def write_summary(path: str | os.PathLike[str], module: Module) -> None:
    """Write the summary of a module to a file. Raises ``OSError``.

    >>> from pycoro import summary
    >>> summary.write_summary("empty.json", pycoro.Module(""))
    >>> summary.read_summary("empty.json")["coroutines"]
    []
    """
    write_atomically_if_regular(checked_path_text(path), (json.dumps(summary(module), indent=1) + "\n").encode())


def _is_valid_summary_entry(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    entry = cast("dict[str, object]", item)
    size, align = entry.get("size"), entry.get("align")
    handle = entry.get("handle", "1")
    if type(size) is not int or type(align) is not int or not isinstance(handle, str) or not _HANDLE.fullmatch(handle):
        return False
    return isinstance(entry.get("name"), str) and 0 < size < 10**12 and 0 < align <= 1 << 20 and align & (align - 1) == 0


def read_summary(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a summary from a file. Raises ``OSError``; raises ``FileError`` for a file that is not a summary, is damaged, or has
    another version.

    >>> from pycoro import summary
    >>> summary.write_summary("empty.json", pycoro.Module(""))
    >>> summary.read_summary("empty.json")["format"]
    'pycoro-summary'
    """
    name = checked_path_text(path)

    def error(what: str) -> FileError:
        hint = "recreate it with pycoro opt --export-summary=FILE"
        return FileError("", [Diagnostic(f"{printable(name)}: {what}", hint, status=FileError.status)])

    try:
        data: object = json.loads(Path(name).read_bytes())
    except (ValueError, RecursionError):
        raise error("not JSON") from None
    found = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if found.get("format") != FORMAT:
        raise error(f"not a summary of pycoro, because its 'format' is not {FORMAT!r}")
    if found.get("version") != FORMAT_VERSION:
        raise error(f"its version is {str(found.get('version'))[:40]}; this pycoro reads version {FORMAT_VERSION}")
    coroutines: object = found.get("coroutines")
    if not isinstance(coroutines, list) or not all(map(_is_valid_summary_entry, cast("list[object]", coroutines))):
        raise error("damaged summary: 'coroutines' is not a list of names with sizes and alignments")
    if not all(isinstance(found.get(key), str) for key in ("triple", "datalayout")):
        raise error("damaged summary: 'triple' or 'datalayout' is missing")
    return found


@takes(module=module_class, published=dict)
def import_summary(module: Module, published: dict[str, Any]) -> tuple[str, ...]:
    """Annotate a module's declarations with another module's summary; return the names of the annotated functions.

    ``published`` is the result of :func:`summary` or :func:`read_summary`. Functions that the module defines are skipped. Call
    it before ``coro-early``, which uses the annotations. Raises ``FileError`` if the targets differ.

    >>> from pycoro import summary
    >>> module = pycoro.Module("declare ptr @counter(i32, i32)")
    >>> published = {"name": "counter", "abi": "switch", "size": 32, "align": 8}
    >>> summary.import_summary(module, {"triple": "", "datalayout": "", "coroutines": [published]})
    ('counter',)
    """
    machine = _target_of_module(module)
    for key, what in (("triple", "target"), ("datalayout", "data layout")):
        if machine[key] != published[key]:
            message = f"the summary has the {what} {published[key]!r}, but {module.name} has {machine[key]!r}"
            raise FileError("", [Diagnostic(printable(message), "compile both for the same target", status=FileError.status)])
    builder = Builder(module)
    functions = dict(module.functions)
    annotated: list[str] = []
    for coroutine in published["coroutines"]:
        function = functions.get(coroutine["name"])
        if function is not None and function.is_declaration:
            builder.add_attribute(function, f'"coro-frame"="{FORMAT_VERSION},{coroutine["size"]},{coroutine["align"]}"')
            if "handle" in coroutine:
                builder.add_attribute(function, f'"coro-handle"="{coroutine["handle"]}"')
            annotated.append(function.name)
    return tuple(annotated)
