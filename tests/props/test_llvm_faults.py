"""What campaigns found LLVM's passes to lower wrongly, by the interpreter's word: pycoro agrees with it, LLVM does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pycoro import Module, VerifyError, fuzz, ir, oracle

HERE = Path(__file__).parent / "llvm_faults"
SAME = "`call say_i1 True` in pycoro's lowering, `call say_i1 False` in LLVM's lowering"
CASES: dict[str, tuple[dict[str, Any], str]] = {  # what shows it, and what LLVM's lowering gets wrong
    "byval_two_addresses": ({"schedule": ("resume", "destroy"), "args": (False, "memory")}, SAME),
    "byval_two_addresses_retcon": ({"ramp": "drive", "allocation": False}, SAME),
    "suspend_result_swifterror": ({"ramp": "drive"}, "which rejected: LLVM ERROR: Broken module found"),
}


@pytest.mark.parametrize("name", CASES)
def test_pycoro_is_right_where_llvm_is_not(name: str) -> None:
    how, told = CASES[name]
    with oracle.Oracle() as both:
        verdict = both.compare((HERE / f"{name}.ll").read_text(), **how)
    assert told in verdict.difference
    assert verdict.ours.how == "finished" and verdict.agrees == "pycoro's lowering", str(verdict)


def test_a_pass_that_breaks_what_any_lowering_leaves_is_named() -> None:
    """No lowering is to blame: the pass gives a swifterror variable to a call in the place of another that it equals."""
    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    before = str(module)
    with pytest.raises(VerifyError, match="broken after memcpyopt: swifterror value"):
        module.run("memcpyopt", verify_each=True)
    assert str(module) == before


def test_a_pass_that_is_believed_is_found_out_by_the_next_run() -> None:
    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    with pytest.raises(VerifyError, match="broken after memcpyopt"):
        module.run("memcpyopt")
    module.run("memcpyopt", verify=False)
    with pytest.raises(VerifyError, match="swifterror value"):
        module.run("early-cse", verify=False)
    module.close()


def test_a_pass_behind_one_that_is_believed_is_not_told_to_be_corrected() -> None:
    def marks(lent: Module) -> None:
        ir.Builder(lent).add_attribute(lent.functions["drive"], '"marked"')

    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    with pytest.raises(VerifyError, match="broken after .*marks") as caught:
        module.run(["memcpyopt", marks], verify=False)
    assert "one before it" in (caught.value.diagnostics[0].hint or "")
    with pytest.raises(VerifyError, match="broken after .*memcpyopt"):
        module.run(["memcpyopt", marks], verify=False, verify_each=True)


def test_a_campaign_does_not_blame_a_lowering_for_it() -> None:
    case = oracle.Case((HERE / "memcpyopt_swifterror.ll").read_text(), ramp="drive", schedules=((),))
    with oracle.Oracle() as both:
        (broken,) = both.compare_cases([case], passes="memcpyopt", reference="interpreter")
        (whole,) = both.compare_cases([case], passes="early-cse", reference="interpreter")
    (verdict,) = broken.verdicts
    assert verdict.ours.how == "broken" and verdict.difference
    assert fuzz.shard.broken_by_llvm(verdict) and fuzz.shard.judge(broken)[0] == ""
    (verdict,) = whole.verdicts
    assert verdict.equal and not fuzz.shard.broken_by_llvm(verdict)


def test_every_fault_is_named() -> None:
    assert sorted(path.stem for path in HERE.glob("*.ll")) == sorted([*CASES, "memcpyopt_swifterror"])
