"""csrc/facts/levels.def out of what opt-22 prints of each level: ``python tests/api/levels.py > csrc/facts/levels.def``."""

from __future__ import annotations

import difflib
import re
import subprocess

FAMILIES = ("default", "thinlto-pre-link", "lto-pre-link", "thinlto", "lto")
LEVELS = ("O0", "O1", "O2", "O3", "Os", "Oz")
LONGEST = 74
HEAD = """\
/* What LLVM 22's optimisation levels run, as its opt prints it. Three things are pycoro's: coro-split shares storage, at
   O0 unless there is debug information, in O2 and O3 the loop that drives an elided coroutine is threaded by its state,
   and lto<> elides, but at O0 and O1. A row is a piece of the pass strings whose places its picture names: of default<>,
   thinlto-pre-link<>, lto-pre-link<>, thinlto<> and lto<>, the levels O0, O1, O2, O3, Os and Oz. The pieces of a level in
   their order are its pass string.
   tests/api/levels.py makes this table.
   Needs: LLVM_LEVEL defined by the includer. Leaves: LLVM_LEVEL undefined. */
"""


def printed(family: str, level: str) -> str:
    """The pass string that the level stands for; opt itself adds a pass that verifies."""
    command = ["opt-22", f"-passes={family}<{level}>", "-print-pipeline-passes", "-disable-output"]
    said = subprocess.run(command, input="", capture_output=True, text=True, check=True).stdout.strip()
    string = said.removesuffix(",verify")
    if level in ("O2", "O3"):
        string = string.replace("coro-elide,", "coro-elide,dfa-jump-threading,")
    if family == "lto":
        string = string.replace(",coro-split,coro-annotation-elide", ",function(coro-elide),coro-split,coro-annotation-elide")
    return string.replace("coro-split", f"coro-split<reuse-storage{'-unless-debug' if level == 'O0' else ''}>")


def _tokens(string: str) -> list[str]:
    return [token for token in re.findall(r"[^,()]*(?:\(|\)+,?|,|$)", string) if token]


def _merged(strings: dict[str, str]) -> list[tuple[str, frozenset[str]]]:
    rows: list[tuple[str, frozenset[str]]] = []
    for name, string in strings.items():
        tokens, out = _tokens(string), []
        for kind, i, i_end, k, k_end in difflib.SequenceMatcher(None, [row[0] for row in rows], tokens, False).get_opcodes():
            if kind == "equal":
                out += [(text, names | {name}) for text, names in rows[i:i_end]]
            else:
                out += rows[i:i_end] + [(text, frozenset({name})) for text in tokens[k:k_end]]
        rows = out
    return rows


def _lines(text: str) -> list[str]:
    lines, line = [], ""
    for token in _tokens(text):
        rest = token
        if line and len(line) + len(rest) > LONGEST:
            lines.append(line)
            line = ""
        while len(rest) > LONGEST:
            cut = rest.rfind(";", 0, LONGEST) + 1
            lines.append(rest[:cut])
            rest = rest[cut:]
        line += rest
    return [*lines, line]


def table() -> str:
    rows = _merged({f"{family}<{level}>": printed(family, level) for family in FAMILIES for level in LEVELS})
    pieces: list[tuple[str, frozenset[str]]] = []
    for text, names in rows:
        if pieces and pieces[-1][1] == names:
            pieces[-1] = (pieces[-1][0] + text, names)
        else:
            pieces.append((text, names))
    out = HEAD
    for text, names in pieces:
        picture = " ".join("".join(level[1] if f"{family}<{level}>" in names else "." for level in LEVELS) for family in FAMILIES)
        lines = [f'"{line}"' for line in _lines(text)]
        between = " " if len(lines) == 1 and len(lines[0]) < 64 else "\n           "
        out += f'LLVM_LEVEL("{picture}",{between}' + "\n           ".join(lines) + ")\n"
    return out + "#undef LLVM_LEVEL\n"


if __name__ == "__main__":
    print(table(), end="")
