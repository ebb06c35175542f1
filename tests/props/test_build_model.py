"""Code of pycoro.build agrees with a model in plain Python: random statements, driven and destroyed anywhere, interpreted
and lowered."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import build_model
import pytest
from build_model import Known, Running, Told, expected
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pycoro
from pycoro import oracle
from pycoro import strategies as s
from pycoro.strategies import Program
from pycoro.strategies.built import Words
from pycoro.strategies.kinds import integer_width_or_0
from pycoro.strategies.model import Built, Drive

COUNT = int(os.environ.get("PYCORO_BUILT", "10"))
PICKS = [3, 1, 0, 2, 1, 1, 0, 5, 0, 1, 2, 0, 0, 1] * 200
"""Results of `pick()`."""
ALL = s.ALL.but(built=4, faults=("unwound-once",))
SORTS = {
    "all": ALL,
    "switch": ALL.but(abis=("switch",), callees=("switch",), coroutines=4),
    "retcon": ALL.but(abis=("retcon", "retcon.once")),
    "async": ALL.but(abis=("async",), callees=("async", "switch")),
}


@pytest.fixture(scope="module", name="judging")
def _judging() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as judging:
        yield judging


def trace_of(run: oracle.Run) -> Told:
    """Return the trace of a run in the model's format."""
    found: Told = []
    for kind, *about in run.events:
        if kind == "call" and about[0].startswith("report_"):
            width = integer_width_or_0(about[0].removeprefix("report_"))
            found.append((about[0], int(about[1]) % (1 << width) if width else about[1]))
    return found


def compare_with_model(judging: oracle.Oracle, program: Program) -> None:
    text = s.module([program])
    assert s.module([program]) == text
    module = pycoro.Module(text)
    module.verify()
    assert not module.lint(), str(module.lint())
    given = {"pick": PICKS} if "@pick()" in text else {}
    verdict = judging.compare(text, ramp="drives", reference="interpreter", returns=given)
    assert verdict.ours.how == verdict.theirs.how == "finished", verdict
    assert verdict, verdict
    assert trace_of(verdict.theirs) == trace_of(verdict.ours) == expected(program, PICKS)


@pytest.mark.parametrize("sort", SORTS)
def test_random_programs_agree_with_the_model(judging: oracle.Oracle, sort: str) -> None:
    @settings(max_examples=COUNT, deadline=None, suppress_health_check=list(HealthCheck))
    @given(s.programs(SORTS[sort]))
    def does_as_the_model(program: Program) -> None:
        compare_with_model(judging, program)

    does_as_the_model()


@settings(max_examples=COUNT, deadline=None)
@given(st.integers(0, 1 << 30))
def test_the_model_s_traces_are_not_empty(judging: oracle.Oracle, seed: int) -> None:
    """Draws by seed, because Hypothesis prefers small programs and campaigns use large ones."""
    compare_with_model(judging, s.sample(seed, SORTS["all"]))


@pytest.mark.parametrize("way", ["end", "return", "break", "continue", "throw", "destroy"])
def test_each_exit_runs_the_same_cleanups(judging: oracle.Oracle, way: str) -> None:
    """Tests one body for each exit of two nested scopes: cleanups run once, in reverse order."""

    def deferred(number: int) -> tuple[object, ...]:
        return ("defer", (("report", "i8", number),))

    leave = {"end": (), "destroy": (("yield",),)}.get(way, ((way,),))
    inner: Words = (deferred(2), ("yield",), deferred(3), *leave)
    body: Words = (deferred(1), ("loop", 1, (("scope", inner),)))
    of = Built("f", body, unwinds=way == "throw")
    for steps in range(4):
        program = Program((), (Drive("f", (), ("resume",) * steps),), built=(of,))
        compare_with_model(judging, program)
        assert [value for _, value in expected(program, PICKS) if value in (1, 2, 3)] == ([3, 2, 1] if steps else [2, 1])


def test_every_statement_is_executed_in_some_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn statements are executed: handlers are entered, a child is suspended when its parent is resumed, a cleanup runs
    on destroy."""
    happened: dict[str, set[int]] = {what: set() for what in ("caught", "thrown on", "handed on", "destroyed")}
    seed = 0

    class Seen(Running):
        def do_transfer(self, known: Known, number: int) -> Iterator[None]:
            children = [held for held in known.held if held.of.abi == "switch"]
            if children and not children[-1 - number % len(children)].over:
                happened["handed on"].add(seed)
            return super().do_transfer(known, number)

        def do_rethrow(self, known: Known) -> None:
            happened["thrown on"].add(seed)
            super().do_rethrow(known)

        def do_attempt(self, known: Known, body: Words, handler: Words) -> Iterator[None]:
            def caught() -> None:
                happened["caught"].add(seed)

            handler = (("seen", caught), *handler)
            return super().do_attempt(known, body, handler)

        def do_seen(self, known: Known, tell: Callable[[], None]) -> None:
            tell()

        def destroy(self) -> None:
            waits, before = not self.over and self.of.abi != "async", len(self._world.told)
            super().destroy()
            if waits and len(self._world.told) > before:
                happened["destroyed"].add(seed)

    monkeypatch.setattr(build_model, "Running", Seen)
    for seed in range(300):
        expected(s.sample(seed, SORTS["all"]), PICKS)
    assert all(len(found) >= 6 for found in happened.values()), {what: len(found) for what, found in happened.items()}


def test_a_cleanup_throws_and_catches_while_an_exception_passes(judging: oracle.Oracle) -> None:
    """Each exception is a separate object: one thrown twice would confuse the unwinder."""
    throws: Words = (("attempt", (("throw",),), ()),)
    of = Built("f", (("defer", throws), ("yield",), ("throw",)), unwinds=True)
    compare_with_model(judging, Program((), (Drive("f", (), ("resume",)),) * 3, built=(of,)))
