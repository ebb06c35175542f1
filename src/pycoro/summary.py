"""Summaries: what a module publishes of its coroutines, for callers that are compiled apart."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, cast

from pycoro._encoded import file_name
from pycoro._printable import printable
from pycoro._written import write_whole
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
    """Has the frames of the module's coroutines published once they are split: of those that other modules can name, and that
    only this one defines. It is to be said before they are split.

    >>> from pycoro import summary
    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> summary.publish(module)
    >>> report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    >>> [coroutine["name"] for coroutine in summary.summary(module)["coroutines"]]
    ['counter']
    """
    builder = Builder(module)
    for function in [*module.functions.values()]:
        if function.presplit and function.linkage == "external":
            builder.add_attribute(function, '"coro-publish"')


def _machine(module: Module) -> dict[str, str]:
    found = dict(_TARGET.findall(module._core.outline()))
    return {"triple": found.get("triple", ""), "datalayout": found.get("datalayout", "")}


def summary(module: Module) -> dict[str, Any]:
    """What a module whose coroutines are split publishes of them, for JSON.

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
        told = _NAME.fullmatch(name)
        ramp = functions.get(told[1]) if told and isinstance(value, GlobalAlias) else None
        if told and ramp is not None and "coro-publish" in (ramp.attributes or {}):
            entry = {"name": told[1], "abi": "switch", "size": int(told[2]), "align": int(told[3])}
            handle = {"handle": told[4].replace(".", ",")} if told[4] else {}
            coroutines[told[1]] = entry | coroutines.get(told[1], {}) | handle
    return {"format": FORMAT, "version": FORMAT_VERSION, **_machine(module), "coroutines": [*coroutines.values()]}


def write_summary(path: str | os.PathLike[str], module: Module) -> None:
    """Writes the summary of a module to a file. ``OSError``.

    >>> from pycoro import summary
    >>> summary.write_summary("empty.json", pycoro.Module(""))
    >>> summary.read_summary("empty.json")["coroutines"]
    []
    """
    write_whole(file_name(path), (json.dumps(summary(module), indent=1) + "\n").encode())


def _is_coroutine(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    told = cast("dict[str, object]", item)
    size, align = told.get("size"), told.get("align")
    handle = told.get("handle", "1")
    if type(size) is not int or type(align) is not int or not isinstance(handle, str) or not _HANDLE.fullmatch(handle):
        return False
    return isinstance(told.get("name"), str) and 0 < size < 10**12 and 0 < align <= 1 << 20 and align & (align - 1) == 0


def read_summary(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The summary in a file. ``OSError``; ``FileError`` for what is none, is damaged, or of another version.

    >>> from pycoro import summary
    >>> summary.write_summary("empty.json", pycoro.Module(""))
    >>> summary.read_summary("empty.json")["format"]
    'pycoro-summary'
    """
    name = file_name(path)

    def wrong(what: str) -> FileError:
        hint = "write it again: pycoro opt --export-summary=FILE"
        return FileError("", [Diagnostic(f"{printable(name)}: {what}", hint, status=FileError.status)])

    try:
        data: object = json.loads(Path(name).read_bytes())
    except (ValueError, RecursionError):
        raise wrong("this is no JSON") from None
    found = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if found.get("format") != FORMAT:
        raise wrong("this is no summary of pycoro's")
    if found.get("version") != FORMAT_VERSION:
        raise wrong(f"its version is {str(found.get('version'))[:40]}, and this pycoro reads version {FORMAT_VERSION}")
    coroutines: object = found.get("coroutines")
    if not isinstance(coroutines, list) or not all(map(_is_coroutine, cast("list[object]", coroutines))):
        raise wrong("the summary is damaged: 'coroutines' is no list of names with sizes and alignments")
    if not all(isinstance(found.get(key), str) for key in ("triple", "datalayout")):
        raise wrong("the summary is damaged: it names no machine")
    return found


def import_summary(module: Module, published: dict[str, Any]) -> tuple[str, ...]:
    """Tells a module what another publishes of the coroutines that it declares; the names of those.

    ``published`` is what :func:`summary` or :func:`read_summary` gives. What the module defines itself is passed over. It is to be
    said before ``coro-early`` runs, which uses it. ``FileError`` where the frames are laid out for another machine.

    >>> from pycoro import summary
    >>> module = pycoro.Module("declare ptr @counter(i32, i32)")
    >>> published = {"name": "counter", "abi": "switch", "size": 32, "align": 8}
    >>> summary.import_summary(module, {"triple": "", "datalayout": "", "coroutines": [published]})
    ('counter',)
    """
    machine = _machine(module)
    for key, what in (("triple", "target"), ("datalayout", "data layout")):
        if machine[key] != published[key]:
            said = f"the summary is of the {what} {published[key]!r}, and {module.name} of {machine[key]!r}"
            raise FileError("", [Diagnostic(printable(said), "compile both for one machine", status=FileError.status)])
    builder = Builder(module)
    functions = dict(module.functions)
    told: list[str] = []
    for coroutine in published["coroutines"]:
        function = functions.get(coroutine["name"])
        if function is not None and function.declaration:
            builder.add_attribute(function, f'"coro-frame"="{FORMAT_VERSION},{coroutine["size"]},{coroutine["align"]}"')
            if "handle" in coroutine:
                builder.add_attribute(function, f'"coro-handle"="{coroutine["handle"]}"')
            told.append(function.name)
    return tuple(told)
