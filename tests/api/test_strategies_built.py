"""Random programs as calls of `pycoro.build`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import pycoro
from pycoro import fuzz
from pycoro import strategies as s
from pycoro.strategies import model
from pycoro.strategies.built import Words
from pycoro.strategies.choices import Recorded, Seeded, shrink
from pycoro.strategies.unused import without_unused_parts

BUILT = s.ALL.but(built=4)
SAMPLES = [s.sample(seed, BUILT) for seed in range(200)]


def all_statements(body: Words) -> Iterator[tuple[Any, ...]]:
    """Yield all statements, including nested ones."""
    for word in body:
        yield word
        for about in word[1:]:
            if isinstance(about, tuple) and about and isinstance(about[0], tuple):
                yield from all_statements(about)


def drawn(programs: Sequence[s.Program]) -> list[tuple[Any, ...]]:
    return [word for program in programs for of in program.built for word in all_statements(of.body)]


def test_a_quarter_of_all_programs_are_built() -> None:
    count = sum(bool(s.sample(seed).built) for seed in range(400))
    assert 70 <= count <= 130
    assert all(program.built and not program.coroutines for program in SAMPLES)
    assert not any(s.sample(seed, s.ALL.but(built=0)).built for seed in range(100))
    assert all(fuzz.draw(seed, "built").coroutines == len(s.sample(seed, BUILT).built) for seed in range(10))


def test_programs_print_as_their_constructors() -> None:
    for program in SAMPLES[:50]:
        again = eval(repr(program), {**vars(s.model), **vars(s.acts)})
        assert again == program and hash(again) == hash(program) and s.module([again]) == s.module([program])


def test_every_statement_is_drawn() -> None:
    found = Counter(word[0] for word in drawn(SAMPLES))
    flat = {
        "report",
        "opaque",
        "combine",
        "variable",
        "store",
        "load",
        "yield",
        "suspend",
        "await_suspend",
        "transfer",
        "resume",
        "await",
    }
    around = {"child", "scope", "scope_with_value", "local", "defer", "if", "branch", "loop", "attempt"}
    ways_out = {"throw", "rethrow", "return", "final", "break", "continue"}
    assert set(found) == flat | around | ways_out
    assert min(found.values()) >= 5, found


def test_every_kind_of_coroutine_is_drawn() -> None:
    every = [of for program in SAMPLES for of in program.built]
    assert {of.abi for of in every} == set(s.ALL.abis)
    assert {of.allocates for of in every} == {"malloc", "aligned", "fails"}
    assert {how for of in every for _, how in of.parameters} == {"", "copied", "moved"}
    assert {of.lazy for of in every} == {of.final for of in every} == {of.unwinds for of in every} == {True, False}
    assert {of.lines for of in every} == {of.is_awaitable for of in every} == {True, False}
    assert {len(of.yields) for of in every} == {
        len(of.results) for of in every if of.abi == "retcon.once" and of.results is not None
    }
    assert max(word[2] for word in drawn(SAMPLES) if word[0] in ("variable", "local")) == 64


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        ({"loops": False}, {"loop", "break", "continue"}),
        ({"leaves": False}, {"return", "final"}),
        ({"locals": False}, {"local"}),
        ({"variables": 0}, {"variable", "store", "load"}),
        ({"awaits": False}, {"await_suspend", "transfer"}),
        ({"exceptions": False}, {"attempt", "throw", "rethrow"}),
        ({"children": False}, {"child", "resume", "await"}),
        ({"depth": 0}, {"scope", "if", "branch", "loop", "attempt", "child", "defer", "scope_with_value", "local"}),
    ],
    ids=lambda given: " ".join(sorted(given)),
)
def test_options_exclude_statements(change: dict[str, object], left_out: set[str]) -> None:
    found = {word[0] for word in drawn([s.sample(seed, BUILT.but(**change)) for seed in range(80)])}
    assert "report" in found and not found & left_out


def test_options_are_bounds() -> None:
    options = BUILT.but(
        abis=("switch",), coroutines=1, drives=1, steps=2, parameters=1, kinds=("i64",), alignment=1,
        promise=False, byval=False, fails=False, unended=False, elision=False, awaits=False, exceptions=False,
    )  # fmt: skip
    for seed in range(80):
        program = s.sample(seed, options)
        (of,), (drive,) = program.built, program.drives
        assert of.final and not of.yields and of.results is None and of.allocates != "fails" and not of.unwinds
        assert len(of.parameters) <= 1 and len(drive.steps) <= 2 and not [how for _, how in of.parameters if how]
        assert all(word[2] in (0, 1) for word in all_statements(of.body) if word[0] in ("variable", "local"))


def test_built_programs_link_with_written_ones() -> None:
    some = [*SAMPLES[:20], *(s.sample(seed, s.ALL.but(built=0)) for seed in range(20))]
    prefixes = [f"p{number}." for number in range(len(some))]
    module = pycoro.Module(s.module(some, prefixes))
    assert set(s.text.drivers(some, prefixes)) <= set(module.functions)
    names = {
        prefix + of.name for program, prefix in zip(some, prefixes, strict=True) for of in (*program.coroutines, *program.built)
    }
    assert set(module.coroutines) == names
    module.run("coro-early,cgscc(coro-split),coro-cleanup", verify_each=True)


def test_the_linter_finds_nothing() -> None:
    for program in SAMPLES:
        assert not pycoro.Module(s.module([program]), trusted=True).lint()


def test_attributes_are_not_numbered() -> None:
    """The oracle links modules with equal declarations."""
    assert not re.search(r"#\d", s.module([SAMPLES[0]]))


def test_choices_are_shrunk() -> None:
    def fails(choices: Sequence[int]) -> bool:
        program = s.draw.program(Recorded(choices), BUILT)
        return any(word[0] == "loop" and any(inner[0] == "yield" for inner in all_statements(word[2])) for word in drawn([program]))

    seeded = next(
        seeded for seed in range(100) if (seeded := Seeded(seed)) and s.draw.program(seeded, BUILT) and fails(seeded.made)
    )
    small = without_unused_parts(s.draw.program(Recorded(shrink(seeded.made, fails)), BUILT))
    assert len(small.built) == 1 and len(list(all_statements(small.built[0].body))) <= 3 and len(repr(small)) < 150


def test_unused_coroutines_are_omitted() -> None:
    starts = model.Built("h", (("child", "f", (), False, ()),))
    program = s.Program((), (model.Drive("h"),), built=(model.Built("f"), model.Built("g"), starts))
    assert [of.name for of in without_unused_parts(program).built] == ["f", "h"]


def test_hypothesis_draws_and_shrinks() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    settings = hypothesis.settings(max_examples=300, database=None, derandomize=True, deadline=None)
    found = hypothesis.find(
        s.programs(BUILT), lambda program: any(word[0] == "await_suspend" for word in drawn([program])), settings=settings
    )
    assert len(found.built) == 1 and len(drawn([found])) == 1
