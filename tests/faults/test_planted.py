"""The table of faults and csrc/: every entry matches exactly once, and one that does not is named."""

from __future__ import annotations

import dataclasses
import re

import pytest
from planted import Fault, PlantError, engine_sources, places, plant_faults, table

SOURCE = """/* f(1) */
#define G f(1)
static int g(int a)
{
  return f( /* by one */ a + 1) + f(a);
}

int h(int (*call)(int), int a) { if (a) { return call(a); } return "f(a)"[a]; }
"""


def fault(old: str, new: str = "0", function: str = "g") -> Fault:
    return Fault("wrong", "it is wrong", "csrc/a.c", function, old, new)


def test_every_fault_is_planted_once() -> None:
    sources, faults = engine_sources(), table()
    made = "".join(text for name, text in plant_faults(sources, faults).items() if sources[name] != text)
    assert sorted(map(int, re.findall(r"coro_fault == (\d+) ", made))) == list(range(1, len(faults) + 1))


@pytest.mark.parametrize("name", ["spill_dropped", "live_cut_short"])
def test_code_that_changed_is_an_error(name: str) -> None:
    sources, faults = engine_sources(), table()
    one = faults[name]
    body = places(sources[one.file], one.old, one.function)
    first, last = body[0][1]
    changed = sources[one.file][:first] + "other(code)" + sources[one.file][last:]
    with pytest.raises(PlantError, match=rf"^{name}: .*was found 0 times in {one.file}, function {one.function}"):
        plant_faults(sources | {one.file: changed}, faults)


@pytest.mark.parametrize(
    ("old", "times"), [("f(a)", 1), ("f(…)", 2), ("f(a+1)", 1), ("f ( a + «1» )", 1), ("call(a)", 0), ("f(1)", 0), ("+ f", 1)]
)
def test_matching_ignores_whitespace(old: str, times: int) -> None:
    assert len(places(SOURCE, old, "g")) == times


def test_an_ambiguous_entry_is_an_error() -> None:
    with pytest.raises(PlantError, match="found 2 times in csrc/a.c, function g"):
        plant_faults({"csrc/a.c": SOURCE}, {"wrong": fault("f(…)")})


def test_two_faults_cannot_overlap() -> None:
    faults = {"one": fault("f(a)"), "other": fault("f(«a»)")}
    with pytest.raises(PlantError, match="two faults want the same place"):
        plant_faults({"csrc/a.c": SOURCE}, faults)


def test_moved_code_is_located() -> None:
    with pytest.raises(PlantError, match=re.escape("it is in csrc/a.c:h: write that behind `in`")):
        plant_faults({"csrc/a.c": SOURCE}, {"wrong": fault("call(a)")})


def test_the_number_selects_the_fault() -> None:
    made = plant_faults({"csrc/a.c": SOURCE}, {"wrong": fault("f(«a + 1»)", "$ - 2"), "worse": fault("call(a)", "a", "h")})[
        "csrc/a.c"
    ]
    assert "return f( /* by one */ (coro_fault == 1 ? ((a + 1) - 2) : (a + 1))) + f(a);" in made
    assert "return (coro_fault == 2 ? (a) : (call(a)));" in made
    assert "extern unsigned coro_fault; /* f(1) */\n" in made


def test_the_table_is_whole() -> None:
    for one in table().values():
        assert all(dataclasses.astuple(one)), one.name
        assert one.old != one.new
