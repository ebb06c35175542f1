"""Random programs and lowerings that search for planted faults."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any

from pycoro.fuzz.profiles import PROFILES
from pycoro.strategies import ALL, Options, module, sample_abi
from pycoro.strategies.choices import Seeded
from pycoro.strategies.decisions import DrawnABI
from pycoro.strategies.draw import program
from pycoro.strategies.hooks import sample_hooks

PLAIN = ("coro-early,cgscc(coro-split),coro-cleanup",)
SHARING = (
    "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
    "coro-early,function(sroa,early-cse,simplifycfg),cgscc(coro-split<reuse-storage>),coro-cleanup",
)
ELIDING = ("coro-early,cgscc(coro-split,coro-annotation-elide),cgscc(inline),function(coro-elide),coro-cleanup",)
KEEPING = (
    "coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup",
    "coro-early,function(sroa,simplifycfg),cgscc(coro-split),cgscc(inline),function(sroa,simplifycfg,coro-elide),coro-cleanup",
    "coro-early,cgscc(coro-split),cgscc(inline),function(sroa,coro-elide,instcombine<no-verify-fixpoint>,simplifycfg),coro-cleanup",
)
PIPELINES = PLAIN + SHARING + ELIDING


@dataclasses.dataclass(frozen=True)
class Sample:
    """A module with coroutines, its driver function ``drive0``, and a lowering."""

    ir: str
    passes: str
    abi: str = ""
    """The seed of a random ABI; empty: LLVM's ABI."""


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The features a sample may have, and its lowering."""

    passes: str
    options: Options


BY_ABI = 0.3
"""Fraction of samples lowered by a random ABI."""
BUILT = 0.1
"""Fraction of samples with any features, written through pycoro.build."""
LATE = 0.05
"""Fraction of samples with a value used late after a suspend, lowered with shared storage."""


def abi(sample: Sample) -> DrawnABI:
    """Return an ABI whose hooks check their arguments: it changes behavior only if the engine is wrong."""
    drawn = sample_abi(sample.abi)
    return dataclasses.replace(drawn, hooks=dataclasses.replace(drawn.hooks or sample_hooks(sample.abi), checks=True))


SWITCHES = [field.name for field in dataclasses.fields(ALL) if isinstance(field.default, bool) and field.name != "late"]
CALLERS = {field.name: getattr(PROFILES["callers"], field.name) for field in dataclasses.fields(ALL) if field.name != "kinds"}
CHILDREN = {"coroutines": 2, "children": True, "elision": True}
VARIABLES = {"variables": 3, "addresses": True, "early": True}
ENDS = {"ends": True, "exceptions": True, "elision": False, "fails": False, "abis": ("switch",)}
LIVES = {"lives": True, "locals": True, "variables": 4, "alignment": 1, "addresses": False, "early": False, "abis": ("switch",)}
WANTED: tuple[tuple[tuple[str, ...], dict[str, Any], str], ...] = (
    (PIPELINES, {}, r""),
    (PIPELINES, VARIABLES, r"entry:\n(  (?!%id).*\n)*  .*getelementptr"),
    (PIPELINES, VARIABLES, r"getelementptr"),
    (PIPELINES, {"byval": True, "parameters": 2}, r"byval"),
    (PIPELINES, {"exceptions": True}, r"invoke"),
    (PIPELINES, CHILDREN | {"awaits": True}, r"coro\.await"),
    (PIPELINES, CHILDREN | {"awaits": True}, r"coro\.noop"),
    (SHARING, {"locals": True, "abis": ("switch",)}, r"lifetime\.start"),
    (SHARING, VARIABLES | {"abis": ("switch",)}, r"@keep|store ptr"),
    (ELIDING, CHILDREN, r"coro_elide_safe"),
    (KEEPING, CALLERS, r"@kept|store ptr"),
    (KEEPING, CALLERS, r"phi ptr|invoke"),
    (PLAIN, {"compared": True, "abis": ("switch",)}, r"%known = icmp"),
    (PLAIN, {"errors": True, "abis": ("retcon", "retcon.once")}, r"swifterror"),
    (PLAIN, {"asked": True, "abis": ("retcon", "retcon.once")}, r"coro\.alloca\.alloc"),
    (PLAIN, {"asked": True, "locals": True, "abis": ("retcon",)}, r"%aligned\d+ = "),
    (PLAIN + SHARING, ENDS, r"%ends.leads"),
    (PLAIN + SHARING, ENDS, r"%place\d+ = .*ends.room"),
    (SHARING, LIVES, r"%known\d* = load ptr"),
    (SHARING, LIVES, r"store i8 \d+, ptr (%[xl]\d+)\n(.*\n)*?.* = load i\d+, ptr \1\n"),
    (SHARING, LIVES, r"load \S+, ptr (%[xl]\d+)\n(.*say.*\n)?  store .*, ptr (?!\1\n)(%[xl]\d+)\n.* = load \S+, ptr \1\n"),
)
"""Targets that samples alternate between: lowerings, features, and patterns of their text."""
LATELY = {"late": True, "locals": True, "lives": False, "variables": 2, "steps": 8, "abis": ("switch",)}
LATELY |= {"alignment": 1, "addresses": False, "early": False, "exceptions": False}
NEEDED_LATE = (SHARING, LATELY, r"= call i32 @pick\(\)\n  %v\d+ = trunc .*\n  br i1 (.*\n)*?(.*@llvm\.coro\.resume\((.*\n)*?){3}")


def random_features(some: random.Random, statements: int, passes: tuple[str, ...], given: dict[str, Any]) -> Bounds:
    """Use few features at a time: programs stay small, and features do not hide each other."""
    often = some.choice([0.2, 0.4, 0.8])
    bounds: dict[str, Any] = {name: some.random() < often for name in SWITCHES}
    bounds |= {"coroutines": 1, "drives": 1, "steps": 4, "depth": some.choice([2, 3]), "statements": statements}
    bounds["callees"] = ("switch",)  # LLVM inlines only these into a coroutine
    bounds["built"] = 0
    bounds |= {"parameters": some.randrange(3), "variables": some.randrange(4)}
    kinds = tuple(some.sample(ALL.kinds, some.randrange(3)))
    return Bounds(some.choice(passes), ALL.but(kinds=("i32", "i1", *kinds), **bounds | given))


def named_sample(name: str, statements: int) -> Sample:
    """Return a program by name, with a feature that may be rare otherwise."""
    some = random.Random(name)
    passes, given, wanted = some.choice(WANTED)
    if random.Random(f"{name}:built").random() < BUILT:
        passes, given, wanted = PIPELINES, {"built": 4, "coroutines": 2}, ""
    if random.Random(f"{name}:late").random() < LATE:
        passes, given, wanted = NEEDED_LATE
    by_abi = passes is not KEEPING and random.Random(f"{name}:abi").random() < BY_ABI
    for number in range(60):
        bounds = random_features(some, statements + number // 4, passes, given)
        text = module([program(Seeded(f"{name}:{number}"), bounds.options)])
        sample = Sample(text, bounds.passes, name if by_abi else "")
        if re.search(wanted, sample.ir):
            break
    return sample
