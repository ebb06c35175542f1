"""Random programs of the subset that pycoro.compile supports: compiled, they behave as in Python.

Only compiled code raises OverflowError beyond 64 bits: such runs are compared with Python code that raises there, too.
`PYCORO_COMPILED=20000 pytest tests/props/test_compiled.py` runs that many; PYCORO_COMPILED_SEED draws others.
"""

from __future__ import annotations

import os

import compiled_drawn as drawn
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

COUNT = int(os.environ.get("PYCORO_COMPILED", "12"))


def test_random_programs_behave_as_in_python() -> None:
    seen = {"programs": 0, "lives": 0, "of more than 64 bits": 0}

    @seed(int(os.environ.get("PYCORO_COMPILED_SEED", "7")))
    @settings(max_examples=COUNT, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(drawn.programs(), st.lists(st.tuples(drawn.ARGUMENTS, drawn.STEPS), min_size=3, max_size=5))
    def held(text: str, lives: list[tuple[tuple[object, ...], list[tuple[str, int]]]]) -> None:
        note(text)
        compiled, python, checked = (drawn.loaded(text, how) for how in ("compiled", "python", "checked"))
        seen["programs"] += 1
        for arguments, steps in lives:
            found, before = drawn.trace_of_run(compiled, arguments, steps), drawn.overflows
            assert found == drawn.trace_of_run(checked, arguments, steps), (arguments, steps)
            seen["lives"] += 1
            if drawn.overflows > before:
                seen["of more than 64 bits"] += 1
            else:
                assert found == drawn.trace_of_run(python, arguments, steps), (arguments, steps)

    held()
    print(seen)
    assert seen["programs"] >= COUNT and seen["lives"] >= 3 * COUNT
