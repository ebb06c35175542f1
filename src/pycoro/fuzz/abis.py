"""References that lower by a drawn ABI, named ``drawn-abi:SEED:PASSES`` and reproducible by that name."""

from __future__ import annotations

from pycoro._encode import ir_bytes
from pycoro.abi import ABI
from pycoro.errors import Error, UsageError
from pycoro.module import Module
from pycoro.oracle.lowerings import REFERENCES, Lowering, Passes, check_passes
from pycoro.oracle.trace import Run
from pycoro.pipeline import Pipeline
from pycoro.strategies import sample_abi

__all__ = ["ByDrawnABI", "name_of_drawn_reference", "register_drawn_abis"]

KIND = "drawn-abi"


class _PipelineWithABIs(Pipeline):
    """A pass string, in which the given ABIs select all coroutines."""

    def __init__(self, passes: str, abis: tuple[ABI, ...]) -> None:
        super().__init__(passes)
        self._drawn = abis

    @property
    def abis(self) -> tuple[ABI, ...]:
        return self._drawn


class ByDrawnABI(Lowering):
    """pycoro's lowering by the ABI drawn from a seed: its policies, layout and hooks. It calls Python, so it runs in this
    process.

    >>> from pycoro import fuzz
    >>> own = fuzz.ByDrawnABI("1", "coro-early,cgscc(coro-split),coro-cleanup")
    >>> "llvm.coro" in str(pycoro.Module(own.lower(pycoro.examples.COUNTER)))
    False
    """

    def __init__(self, seed: str, passes: str) -> None:
        self.abi = sample_abi(seed)
        self._passes = check_passes(passes)
        self.optimizes = Passes(passes).optimizes
        self.name = f"the lowering by {self.abi}"

    def check_confined(self) -> None:
        """Raise ``PipelineError`` if its passes do more than change the module."""
        Passes(self._passes).check_confined()

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the lowered module as bitcode, or a rejected :class:`Run` that has the error."""
        try:
            module = Module(ir_bytes(ir))
            module.run(_PipelineWithABIs(self._passes, self.abi.abis))
            return module.bitcode()
        except Error as error:
            return Run("rejected", str(error), ())


def name_of_drawn_reference(seed: str, passes: str) -> str:
    """Return the name of a lowering by the ABI of the seed, which must not contain a colon."""
    return f"{KIND}:{seed}:{passes}"


def _reference_of_seed_and_passes(text: str) -> ByDrawnABI:
    seed, colon, passes = text.partition(":")
    if not (seed and colon and passes):
        raise UsageError(f"the name of a drawn ABI must have the form {KIND}:SEED:PASSES")
    return ByDrawnABI(seed, passes)


def register_drawn_abis() -> None:
    """Register drawn ABIs as oracle references."""
    REFERENCES.setdefault(KIND, _reference_of_seed_and_passes)


register_drawn_abis()
