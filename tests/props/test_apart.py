"""Random programs whose coroutines and callers are compiled separately: linked, they behave as one module without elision.
PYCORO_APART sets the number of programs."""

from __future__ import annotations

import os
import re

import pytest

import pycoro
from pycoro import fuzz, oracle, summary

PROGRAMS = int(os.environ.get("PYCORO_APART", "24"))
EVERY = 8  # programs of one test
LEVEL = "default<O2>"
NOTHING_ELIDED = "pycoro:coro-early,cgscc(coro-split),coro-cleanup"

BODY = re.compile(r"^define [^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL)
INTERNAL = re.compile(r"^(@[\w.]+ =) internal global (.*?) (?:zeroinitializer|\d+|null)(, align \d+)?$", re.MULTILINE)
DRIVES = re.compile(r"define (?:internal )?void @(?:caller\d+|drive\w*)\(")


def declared(body: str) -> str:
    head = body.partition("\n")[0].rstrip("{ ")
    head = re.sub(r" (?:presplitcoroutine|noinline|personality ptr @\w+)", "", re.sub("^define (?:internal )?", "declare ", head))
    return re.sub(r" %[\w.]+(?=[,)])", "", head) + "\n"


def split_module(ir: str) -> tuple[str, str]:
    """Return the module of the coroutines, and of their creators and drivers. Both contain the helpers, as inline functions."""
    bodies = BODY.findall(ir)
    coroutines = [body for body in bodies if " presplitcoroutine" in body.partition("\n")[0]]
    drivers = [body for body in bodies if DRIVES.match(body)]
    helpers = [body for body in bodies if body not in coroutines and body not in drivers]
    both = "".join(body.replace("define internal", "define linkonce_odr", 1) for body in helpers)
    rest = BODY.sub("", ir)
    shared = INTERNAL.sub(r"\1 external global \2\3", rest)
    first = rest.replace(" internal global ", " global ") + both + "".join([*coroutines, *map(declared, drivers)])
    outer = "".join(body.replace("define internal", "define", 1) for body in drivers)
    return first, shared + both + outer + "".join(map(declared, coroutines))


def run_separately(ir: str) -> tuple[pycoro.Module, pycoro.Report]:
    first, second = (pycoro.Module(half) for half in split_module(ir))
    summary.publish(first)
    first.run(LEVEL)
    summary.import_summary(second, summary.summary(first))
    report = second.run(LEVEL)
    return pycoro.link([first, second]), report


@pytest.mark.parametrize("first", range(0, PROGRAMS, EVERY))
def test_separate_modules_behave_as_one(first):
    lowering = oracle.CallableLowering(lambda ir: run_separately(ir)[0], "both halves")
    elided = 0
    with oracle.Oracle() as judge:
        for seed in range(first, min(first + EVERY, PROGRAMS)):
            for case in fuzz.draw(f"apart.{seed}", "callers").cases:
                (outcome,) = judge.compare_cases([case], lowering=lowering, reference=NOTHING_ELIDED, allocation=False)
                assert outcome.equal and outcome.executed, f"apart.{seed}\n{outcome}"
                elided += sum(elision.elided for elision in run_separately(case.ir)[1].elisions)
    assert elided, "no caller has the frame of another module's coroutine on its stack"
