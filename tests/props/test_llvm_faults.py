"""What campaigns found LLVM's passes to lower wrongly, by the interpreter's word: pycoro agrees with it, LLVM does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pycoro import oracle

HERE = Path(__file__).parent / "llvm_faults"
CASES = {  # the arguments that show it, and what LLVM's lowering gets wrong
    "byval_two_addresses": ((False, "memory"), "`call say_i1 True` in pycoro's lowering, `call say_i1 False` in LLVM's lowering"),
}


@pytest.mark.parametrize("name", CASES)
def test_pycoro_is_right_where_llvm_is_not(name: str) -> None:
    args, told = CASES[name]
    with oracle.Oracle() as both:
        verdict = both.compare((HERE / f"{name}.ll").read_text(), ("resume", "destroy"), args=args)
    assert told in verdict.difference
    assert verdict.ours.how == "finished" and verdict.agrees == "pycoro's lowering", str(verdict)


def test_every_fault_is_named() -> None:
    assert sorted(path.stem for path in HERE.glob("*.ll")) == sorted(CASES)
