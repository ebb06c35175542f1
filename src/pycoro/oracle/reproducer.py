"""Reproducers: IR files that contain a case, and comments with the arguments of its comparison."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from pycoro._encode import checked_path_text
from pycoro._suggest import unknown_name_message
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.oracle._keywords import Sides
from pycoro.oracle.case import Case
from pycoro.oracle.driven import for_host

__all__ = ["parse_reproducer", "read_reproducer", "write_reproducer"]

_HEAD = re.compile(r"^; pycoro-oracle: (.*)$", re.MULTILINE)


def write_reproducer(path: str | os.PathLike[str], case: Case, *, difference: str = "", **how: Any) -> None:
    r"""Write the case to an IR file, which ``pycoro oracle FILE`` runs. ``how`` are textual or boolean arguments of
    `Oracle.compare_cases`, such as ``passes`` and ``reference``.

    >>> import pathlib
    >>> from pycoro import oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> oracle.write_reproducer("found.ll", case, difference="they differ", reference="interpreter")
    >>> print(*pathlib.Path("found.ll").read_text().splitlines()[:2], sep="\n")
    ; they differ
    ; run: pycoro oracle found.ll
    """
    check("a case is an oracle.Case", case, Case)
    _check_options(how)
    facts = {key: value for key, value in case.to_dict().items() if key != "ir"}
    lines = [f"; {line}" for line in difference.splitlines()]
    lines += [f"; run: pycoro oracle {os.path.basename(path)}", f"; pycoro-oracle: {json.dumps({**facts, 'how': how})}"]
    with open(checked_path_text(path), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join([*lines, "", for_host(case.ir).lstrip("\n")]))


def read_reproducer(path: str | os.PathLike[str]) -> tuple[Case, Mapping[str, Any]]:
    """Return the case and the arguments in a file that `write_reproducer` wrote. Raises ``UsageError`` for other files.

    >>> from pycoro import oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> oracle.write_reproducer("found.ll", case, reference="interpreter")
    >>> again, how = oracle.read_reproducer("found.ll")
    >>> again.ramp, again.args, how
    ('counter', (3, 6), {'reference': 'interpreter'})
    """
    with open(checked_path_text(path), encoding="utf-8", errors="surrogateescape") as file:
        return parse_reproducer(file.read(), os.fspath(path))


def parse_reproducer(text: str, name: str) -> tuple[Case, Mapping[str, Any]]:
    """Parse the text of a reproducer, as `read_reproducer` does."""
    found = _HEAD.search(text)
    try:
        facts: dict[str, Any] = json.loads(found[1]) if found else {}
        how: Mapping[str, Any] = facts.pop("how")
        case = Case.from_dict({**facts, "ir": text[found.end() :].lstrip("\n") if found else ""})
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(f"{name}: this file is not a reproducer, because no line begins with '; pycoro-oracle:'") from None
    _check_options(how)
    return case, how


def _check_options(how: Mapping[str, Any]) -> None:
    for name in how:
        if name not in Sides.__annotations__:
            raise UsageError(unknown_name_message("argument of a comparison", name, Sides.__annotations__))
