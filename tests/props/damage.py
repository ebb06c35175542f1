"""Generator of damaged inputs: each depends only on its seed and number, so any one can be reproduced."""

from __future__ import annotations

import pathlib
import random
import re
import sys
from typing import NamedTuple

TESTS = pathlib.Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "api")]
from samples import COUNTER, PLAIN, TWO_FINALS  # noqa: E402
from test_malformed import SHAPES, broken  # noqa: E402

import pycoro  # noqa: E402

sys.path[:0] = [str(pathlib.Path(__file__).parent)]
import machine_code  # noqa: E402
from mutate import MUTATORS  # noqa: E402

PASSES = "coro-early,cgscc(coro-split),cgscc(coro-annotation-elide),function(coro-elide),coro-cleanup"
PIPELINES = (
    PASSES,
    "coro-early,cgscc(coro-split),coro-cleanup",
    "coro-early,cgscc(coro-split<reuse-storage>,coro-annotation-elide),function(coro-elide),coro-cleanup",
    "coro-early,cgscc(coro-split,coro-annotation-elide<max-frame-bytes=64>),function(coro-elide<max-frame-bytes=64>),coro-cleanup",
    "coro-cond(coro-early,function(sroa,simplifycfg),cgscc(coro-split),coro-cleanup,globaldce)",
)
CONSTANTS = ("true", "false", "null", "none", "0", "1", "2", "undef", "poison")
TYPES = ("i1", "i8", "i32", "i64", "ptr", "void", "token", "<4 x i32>", "{i32, ptr}")
WORDS = (
    *("coro-early", "coro-split", "coro-elide", "coro-annotation-elide", "coro-cleanup", "coro-split<reuse-storage>"),
    *("coro-cache-frames", "coro-cache-frames<local-exec>", "coro-infer-captures"),
    *("coro-elide<max-frame-bytes=64>", "coro-annotation-elide<max-frame-bytes=", "max-frame-bytes=18446744073709551616"),
    *("coro-cond", "module", "function", "cgscc", "devirt<4>", "loop", "loop-mssa", "sroa", "instcombine", "simplifycfg"),
    *("globaldce", "inline", "licm", "default<O1>", "no-such-pass", "coro-split<", "<>", ""),
)
ODD = ("(", ")", ",", "<", ">", "", " ", "x", "\u00e9", "coro-")


class Input(NamedTuple):
    """An input of the campaign: `data` is parsed, inspected, and lowered by `passes`."""

    kind: str  # one of KINDS or MUTATORS
    data: str | bytes
    passes: str


def damage(text: str, chance: random.Random) -> str:
    """Return the text with one to three lines deleted, repeated, moved, or with other names, constants or types."""
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


def sources() -> list[str]:
    """Return modules with coroutines, before any pass."""
    paths = sorted([*(TESTS / "ir").glob("**/*.ll"), *(TESTS / "seeds").glob("*.ll"), *(TESTS / "miscompiles").glob("**/*.ll")])
    return [COUNTER, TWO_FINALS, *(path.read_text() for path in paths)]


SOURCES = sources()


def sound_bitcode(source: str) -> bytes | None:
    try:
        with pycoro.Module(source) as module:
            return module.bitcode()
    except pycoro.Error:
        return None


READABLE = [source for source in SOURCES if sound_bitcode(source)]


def text(chance: random.Random) -> Input:
    return Input("text", damage(chance.choice(SOURCES), chance), chance.choice(PIPELINES))


def shape(chance: random.Random) -> Input:
    """Return a coroutine that breaks one rule; every second one is damaged as well."""
    malformed = broken(chance.choice(SHAPES))
    return Input("shape", damage(malformed, chance) if chance.random() < 0.8 else malformed, chance.choice(PIPELINES))


def bytes_of_text(chance: random.Random) -> Input:
    """Flip, delete or duplicate bytes of the text."""
    data = bytearray(chance.choice(SOURCES).encode())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.choice([b"", bytes([chance.randrange(256)]), data[at : at + 8]])
    return Input("bytes of text", bytes(data), chance.choice(PIPELINES))


def bitcode(chance: random.Random) -> Input:
    """Return well-formed bitcode of damaged modules that LLVM's verifier accepts."""
    for _ in range(50):
        data = sound_bitcode(damage(chance.choice(SOURCES), chance))
        if data is not None:
            return Input("bitcode", data, chance.choice(PIPELINES))
    return Input("bitcode", b"BC\xc0\xde", PASSES)


def bits_of_bitcode(chance: random.Random) -> Input:
    """Flip bits anywhere in bitcode, which LLVM's reader trusts; some crash the child that parses first."""
    data = bytearray(sound_bitcode(chance.choice(SOURCES)) or b"BC\xc0\xde....")
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(4, len(data))] ^= 1 << chance.randrange(8)
    return Input("bits of bitcode", bytes(data), chance.choice(PIPELINES))


def mutated(chance: random.Random) -> Input:
    """Apply one to three structural mutations."""
    kind, made = "", chance.choice(READABLE)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        kind = chance.choice([*MUTATORS])
        made = MUTATORS[kind](made, chance, READABLE)
    return Input(kind, made, chance.choice(PIPELINES))


def words(chance: random.Random, depth: int) -> str:
    parts = []
    for _ in range(chance.randint(1, 4)):
        word = chance.choice(WORDS)
        parts.append(f"{word}({words(chance, depth - 1)})" if depth and chance.random() < 0.4 else word)
    return ",".join(parts)


def passes(chance: random.Random) -> Input:
    """Return pass strings of real and invented tokens, some with an extra or missing character."""
    string = words(chance, chance.randrange(5))
    for _ in range(chance.choice([0, 0, 1, 3])):
        at = chance.randrange(len(string) + 1)
        string = string[:at] + chance.choice(ODD) + string[at + chance.randrange(2) :]
    return Input("passes", chance.choice([COUNTER, TWO_FINALS, PLAIN]), string)


KINDS = {  # generator: percentage
    mutated: 50,
    text: 20,
    shape: 8,
    bytes_of_text: 4,
    bitcode: 6,
    bits_of_bitcode: 4,
    passes: 8,
}


def compiled(chance: random.Random) -> Input:
    """Return a module that is hard on the code generator and that LLVM's verifier accepts."""
    made = machine_code.module(chance)
    while not sound_bitcode(made):
        made = machine_code.module(chance)
    return Input("machine code", made, "coro-cleanup")


FAMILIES = {"damaged": KINDS, "machine-code": {compiled: 1}}


def make(seed: int, number: int, family: str = "damaged") -> Input:
    chance = random.Random(f"{seed}/{number}")
    kinds = FAMILIES[family]
    (maker,) = chance.choices([*kinds], [*kinds.values()])
    return maker(chance)
