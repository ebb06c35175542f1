"""Callers that store, move, pass on, leak and destroy coroutines, or throw past them: elision changes neither output nor
frees."""

import pytest

from pycoro import oracle, strategies
from pycoro.fuzz.profiles import PROFILES, draw
from pycoro.oracle import Oracle, Passes

CALLERS = PROFILES["callers"]
ELIDING = "default<O2>"
CASES = [case for number in range(120) for case in draw(f"callers:{number}", "callers").cases]


@pytest.fixture(scope="module")
def runs():
    """Return the runs of the cases with elision and without."""
    with Oracle() as both:
        return [[run for (run,) in both.execute(way, CASES, live=False)] for way in (Passes(ELIDING), Passes())]


def frames(run: oracle.Run) -> int:
    return sum(event[0] == "allocate" and event[1] == "alloc_aligned" for event in run.events)


def test_elision_does_not_change_behavior(runs):
    for case, elided, plain in zip(CASES, *runs, strict=True):
        assert plain.how in ("finished", "stopped"), (case.name, plain)
        assert not oracle.first_difference(elided, plain, allocation=False), case.ir


def test_many_frames_are_elided_without_extra_allocations(runs):
    pairs = [(frames(elided), frames(plain)) for elided, plain in zip(*runs, strict=True)]
    assert all(elided <= plain for elided, plain in pairs)
    assert sum(elided < plain for elided, plain in pairs) > len(CASES) // 4


def test_intended_leaks_are_equal(runs):
    """Each run leaks one block where a coroutine may leak, and none elsewhere."""
    for case, elided, plain in zip(CASES, *runs, strict=True):
        lossy = "@alloc_frame" in case.ir
        for run in (elided, plain):
            if run.how == "finished":
                assert any(event[0] == "left" and len(event) > 1 for event in run.events) == lossy, (case.ir, run)


def test_programs_print_as_their_constructors():
    program = strategies.sample("callers", CALLERS)
    assert program.callers
    assert eval(repr(program), {**vars(strategies.model), **vars(strategies.acts)}) == program
    assert strategies.text.drivers([program]) == ["drive0"]


def test_every_operation_is_drawn():
    drawn = {
        type(act).__name__
        for number in range(400)
        for caller in strategies.sample(number, CALLERS).callers
        for act in strategies.acts.acts_of(caller.body)
    }
    assert drawn >= set(strategies.acts.Act.replace(" ", "").split("|"))
