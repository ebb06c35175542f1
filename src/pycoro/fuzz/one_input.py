"""The entry of coverage-guided fuzzers, such as Atheris: bytes in, an exception where something is wrong."""

from __future__ import annotations

from pycoro.fuzz.profiles import from_choices
from pycoro.fuzz.shard import judge
from pycoro.oracle import Oracle, Way
from pycoro.pipeline import DEFAULT

__all__ = ["DifferenceError", "fuzz_one_input"]

_oracles: list[Oracle] = []


class DifferenceError(AssertionError):
    """Two lowerings of one program do not do the same.

    >>> from pycoro import fuzz
    >>> issubclass(fuzz.DifferenceError, AssertionError)
    True
    """


def fuzz_one_input(
    data: bytes, *, profile: str = "small", passes: str = DEFAULT, reference: Way | str = "llvm", oracle: Oracle | None = None
) -> None:
    r"""Makes a program of the bytes, as choices, and compares pycoro's lowering of it with a reference.

    Any bytes make a valid program, and near bytes near programs. `DifferenceError` where the lowerings differ, or where
    both write what is not theirs. The oracle is kept for the process, unless one is given.

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
        difference = judge(outcome)[0]
        if difference:
            raise DifferenceError(f"{difference}\n{outcome.case.ir}")
