"""Damaged IR: whatever is done to the text of a coroutine, the process lives, and a refused module is as it was."""

from __future__ import annotations

import pathlib
import random
import re
import subprocess
import sys

import pytest
from samples import COUNTER, TWO_FINALS

import pycoro

PASSES = "coro-early,cgscc(coro-split),cgscc(coro-annotation-elide),function(coro-elide),coro-cleanup"
INPUTS = sorted((pathlib.Path(__file__).parent.parent / "ir").glob("**/*.ll"))
CONSTANTS = ("true", "false", "null", "none", "0", "1", "2", "undef", "poison")
TYPES = ("i1", "i8", "i32", "i64", "ptr", "void", "token", "<4 x i32>", "{i32, ptr}")


def damage(text: str, chance: random.Random) -> str:
    """The text with one to three lines lost, repeated, moved, or given other names, constants or types."""
    lines = text.splitlines() or [""]
    names = re.findall(r"%[\w.]+", text) or ["%x"]
    for _ in range(chance.randint(1, 3)):
        here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                lines[here] = ""
            case 1:
                lines.insert(there, lines[here])
            case 2:
                lines[here], lines[there] = lines[there], lines[here]
            case 3:
                lines[here] = re.sub(r"%[\w.]+", lambda m: chance.choice([m[0], *names]), lines[here])
            case 4:
                words = "|".join(CONSTANTS)
                lines[here] = re.sub(rf"\b({words})\b", lambda _: chance.choice(CONSTANTS), lines[here])
            case 5:
                lines[here] = re.sub(r"\b(i1|i8|i32|i64|ptr|void|token)\b", lambda m: chance.choice([m[0], *TYPES]), lines[here])
    return "\n".join(lines)


def survive(text: str) -> bool:
    """Looks at the module and lowers it; whether it was lowered. Raises where a rule of the API is broken."""
    try:
        module = pycoro.Module(text)
    except (pycoro.ParseError, pycoro.VerifyError):
        return False
    with module:
        before = str(module)
        for name in module.coroutines:
            try:
                assert module.coroutines[name].frame.size >= 0
            except pycoro.RejectedError as error:
                assert error.diagnostics
        try:
            module.run(PASSES, verify_each=True)
        except pycoro.RejectedError as error:
            assert error.diagnostics[0].message
            assert str(module) == before
            return False
        assert "llvm.coro.suspend" not in str(module)
        return True


def many(seed: int, count: int) -> int:
    """How many of so many damaged inputs could be lowered. Each is put into a file first, for when it is the last."""
    chance = random.Random(seed)
    texts = [COUNTER, TWO_FINALS, *(path.read_text() for path in INPUTS)]
    lowered = 0
    for _ in range(count):
        text = damage(chance.choice(texts), chance)
        pathlib.Path(sys.argv[1]).write_text(text)
        lowered += survive(text)
    return lowered


@pytest.mark.parametrize("seed", range(4))
def test_damaged_ir_is_survived(seed: int, tmp_path: pathlib.Path) -> None:
    last = tmp_path / "last.ll"
    code = f"import sys; sys.path[:0] = [{str(pathlib.Path(__file__).parent)!r}]; import test_mutations as t"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; print(t.many({seed}, 250))", str(last)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, f"{ran.stderr[-2000:]}\n{last.read_text()}"
    assert 0 < int(ran.stdout) < 250
