"""Entry point for coverage-guided fuzzers such as Atheris: it compares the program of the input bytes, and raises on a
difference.
"""

from __future__ import annotations

from pycoro.fuzz.profiles import from_choices
from pycoro.fuzz.shard import problem_bucket_schedule_trace
from pycoro.oracle import Oracle, Side
from pycoro.pipeline import DEFAULT

__all__ = ["DifferenceError", "fuzz_one_input"]

_oracles: list[Oracle] = []


class DifferenceError(AssertionError):
    """Raised if two lowerings of one program differ.

    >>> from pycoro import fuzz
    >>> issubclass(fuzz.DifferenceError, AssertionError)
    True
    """


def fuzz_one_input(
    data: bytes, *, profile: str = "small", passes: str = DEFAULT, reference: Side | str = "llvm", oracle: Oracle | None = None
) -> None:
    r"""Decode the bytes to a program, and compare pycoro's lowering of it with a reference.

    All inputs are valid, and similar inputs give similar programs. Raises `DifferenceError` if the lowerings differ, or if
    both write out of bounds. Without ``oracle``, one oracle is shared by the process.

    >>> from pycoro import fuzz
    >>> print(fuzz.fuzz_one_input(b"\x05\x01", reference="interpreter"))
    None
    """
    if oracle is None:
        if not _oracles:
            _oracles.append(Oracle())
        oracle = _oracles[0]
    drawn = from_choices(bytes(data), profile)
    for outcome in oracle.compare_cases(drawn.cases, passes=passes, reference=reference):
        difference = problem_bucket_schedule_trace(outcome)[0]
        if difference:
            raise DifferenceError(f"{difference}\n{outcome.case.ir}")
