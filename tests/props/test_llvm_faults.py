"""Miscompilations by LLVM's passes that campaigns found: pycoro agrees with the interpreter, LLVM does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pycoro import Module, VerifyError, fuzz, ir, oracle, strategies

HERE = Path(__file__).parent / "llvm_faults"
SAME = "`call report_i1 True` in pycoro's lowering, `call report_i1 False` in LLVM's lowering"
CASES: dict[str, tuple[dict[str, Any], str]] = {  # the trigger, and LLVM's mistake
    "byval_two_addresses": ({"schedule": ("resume", "destroy"), "args": (False, "memory")}, SAME),
    "byval_two_addresses_retcon": ({"ramp": "drive", "allocation": False}, SAME),
    "suspend_result_swifterror": ({"ramp": "drive"}, "ends (rejected: LLVM ERROR: Broken module found"),
}


@pytest.mark.parametrize("name", CASES)
def test_pycoro_is_right_where_llvm_is_not(name: str) -> None:
    how, expected = CASES[name]
    with oracle.Oracle() as both:
        verdict = both.compare((HERE / f"{name}.ll").read_text(), **how)
    assert expected in verdict.difference
    assert verdict.ours.how == "finished" and verdict.agrees == "pycoro's lowering", str(verdict)


def test_a_pass_that_miscompiles_any_lowering_is_named() -> None:
    """Both lowerings are correct: the pass replaces a call's swifterror alloca by an equal one."""
    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    before = str(module)
    with pytest.raises(VerifyError, match="broken after memcpyopt: swifterror value"):
        module.run("memcpyopt", verify_each=True)
    assert str(module) == before


def test_an_unverified_pass_is_checked_by_the_next_run() -> None:
    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    with pytest.raises(VerifyError, match="broken after memcpyopt"):
        module.run("memcpyopt")
    module.run("memcpyopt", verify=False)
    with pytest.raises(VerifyError, match="swifterror value"):
        module.run("early-cse", verify=False)
    module.close()


def test_a_pass_after_an_unverified_one_is_not_blamed() -> None:
    def marks(lent: Module) -> None:
        ir.Builder(lent).add_attribute(lent.functions["drive"], '"marked"')

    module = Module((HERE / "memcpyopt_swifterror.ll").read_text())
    with pytest.raises(VerifyError, match="broken after .*marks") as caught:
        module.run(["memcpyopt", marks], verify=False)
    assert "an earlier unverified one" in (caught.value.diagnostics[0].hint or "")
    with pytest.raises(VerifyError, match="broken after .*memcpyopt"):
        module.run(["memcpyopt", marks], verify=False, verify_each=True)


def test_campaigns_do_not_blame_the_lowering() -> None:
    case = oracle.Case((HERE / "memcpyopt_swifterror.ll").read_text(), ramp="drive", schedules=((),))
    with oracle.Oracle() as both:
        (broken,) = both.compare_cases([case], passes="memcpyopt", reference="interpreter")
        (whole,) = both.compare_cases([case], passes="early-cse", reference="interpreter")
    (verdict,) = broken.verdicts
    assert verdict.ours.how == "broken" and verdict.difference
    assert fuzz.shard.is_broken_by_llvm_memcpyopt(verdict) and fuzz.shard.problem_bucket_schedule_trace(broken)[0] == ""
    (verdict,) = whole.verdicts
    assert verdict.equal and not fuzz.shard.is_broken_by_llvm_memcpyopt(verdict)


def test_miscompiled_stack_code_is_not_drawn() -> None:
    """Code generation of a call is wrong there, not lowering: a campaign would only see both sides crash."""
    case = oracle.Case((HERE / "swifttailcc_i128.ll").read_text(), ramp="drive", schedules=((),))
    with oracle.Oracle() as both:
        (found,) = both.compare_cases([case], passes="no-op-module", reference="interpreter")
    assert (found.verdicts[0].ours.how, found.verdicts[0].theirs.how) == ("crashed", "finished")
    takes: dict[bool, set[str]] = {False: set(), True: set()}  # by whether the coroutine uses the async ABI
    for coroutine in (coroutine for seed in range(400) for coroutine in strategies.sample(seed).coroutines):
        takes[bool(coroutine.returned and coroutine.returned.context)] |= {of.kind for of in coroutine.parameters}
    assert "i128" in takes[False] and "i128" not in takes[True] and "<3 x i16>" in takes[True]


def test_every_fault_is_named() -> None:
    named = [*CASES, "memcpyopt_swifterror", "swifttailcc_i128"]
    assert sorted(path.stem for path in HERE.glob("*.ll")) == sorted(named)
