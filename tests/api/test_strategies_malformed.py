"""Malformed programs: each is rejected by the rule that it breaks and unchanged; LLVM's verifier accepts it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pycoro
from pycoro import strategies as s

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"
ENGINE = Path(__file__).parents[2] / "csrc"
SOURCES = {
    "switch": ("switch_check.c",),
    "retcon": ("retcon_check.c", "retcon_memory.c"),
    "async": ("async_check.c",),
    "retcon.once.dynamic": ("retcon_check.c", "retcon_memory.c", "dynamic.c"),
}

UNREACHED = {  # rules shared by all ABIs, or by the whole engine, that a program alone cannot break
    "begin-dominates-values": "what dominates its uses and not llvm.coro.begin is dominated by it, where every suspend is",
    "custom-abi-of-id": "the ABI that is asked for comes from who calls the engine: test_custom_abi.py",
    "order-of-fields": "so does the order: test_custom_abi.py",
    **dict.fromkeys(("layout-before-start", "layout-alignment", "layout-overlap"), "so does a layout: test_abi_layout.py"),
    **dict.fromkeys(("must-be-in-frame", "cannot-be-in-frame"), "so does what it keeps: test_abi_keep.py"),
    **dict.fromkeys(
        ("hook-module-arguments", "hook-module-header", "hook-module-layout", "hook-module-link", "hook-module-passed"),
        "so do its hooks: test_abi_hooks.py",
    ),
    "header-value": "so does what its header holds: test_abi_header.py",
    **dict.fromkeys(("one-abi", "rejected-by-abi"), "so does what an ABI says of a coroutine: test_abi_choice.py"),
    "continuation-is-code": "so is where its code lies: tests/ir/retcon/continuation-is-code.ll",
    "code-address-size": "the data layout is the module's: tests/ir/layout/odd-pointers.ll",
    "await-callee": "what a drawn await calls is the program's own: tests/ir/switch/await-called-as-declared.ll",
    "naked": "LLVM's verifier refuses every use of a naked function's parameters first: tests/ir/switch/naked.ll",
    "on-stack-across-suspend": "no drawn program has inalloca: tests/ir/layout/inalloca.ll",
    "callbr-live-across-suspend": "no drawn program has assembly: tests/ir/switch/callbr-kept.ll",
    "variable-arguments": "no drawn program has them: tests/ir/switch/variable-arguments.ll",
    "musttail-in-clone": "none has a musttail call of its own: tests/ir/switch/musttail-behind-suspend.ll",
    **dict.fromkeys(
        ("frame-too-large", "frame-size-fits", "context-size-fits"),
        "variables that large would take what runs the program's memory: test_frame_too_large.py",
    ),
}
OF_OTHERS = {  # rules of shared checks that apply to coroutines of some ABIs only
    "switch": set(),
    "retcon": {"alloca-before-begin", "alloca-freed-late", "promise-is-alloca", "promise-align-fits"},
    "async": {"alloca-freed-late", "promise-is-alloca", "promise-align-fits"},
    "retcon.once.dynamic": {
        *("alloca-before-begin", "alloca-freed-late", "promise-is-alloca", "promise-align-fits"),
        *("id-size-is-constant", "id-size-holds-pointer", "prototype-returns-as-function"),
    },
}
OF_SUSPENDS = {"final-is-constant", "suspend-names-save", "one-suspend-a-save"}  # llvm.coro.suspend only


def rules_in(path: Path) -> set[str]:
    """Return the rules in a source file of the engine."""
    checks = "coro_reject|reject_id|coro_check_intrinsics_absent|coro_check_callable_by_generated_code"
    found = re.findall(rf'(?:{checks})\(\s*low,[^";]*"([a-z-]+)"|\{{ASYNC_ID_\w+, "([a-z-]+)"', path.read_text())
    return {rule or other for rule, other in found}


def check(malformed: s.broken.Malformed) -> None:
    module = pycoro.Module(malformed.text())
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    first = caught.value.diagnostics[0]
    assert (first.rule, first.function) == (malformed.rule, malformed.program.coroutines[-1].name)
    assert first.message and first.hint
    assert str(module) == before


@pytest.mark.parametrize(("abi", "rule"), [(abi, rule) for abi, rules in s.broken.RULES_OF.items() for rule in rules])
@pytest.mark.parametrize("options", [s.SMALL, s.ALL], ids=["small", "all"])
def test_every_rule_is_named(abi: str, rule: str, options: s.Options) -> None:
    for seed in range(3):
        check(s.broken.Malformed(s.sample(seed, options.but(abis=(abi,), built=0)), rule))


@pytest.mark.parametrize("abi", s.broken.RULES_OF)
def test_programs_are_valid_before_the_malformation(abi: str) -> None:
    for options in (s.SMALL, s.ALL):
        for seed in range(3):
            pycoro.Module(s.module([s.sample(seed, options.but(abis=(abi,)))])).run(PASSES)


def test_every_rule_of_the_engine_is_reached() -> None:
    assert rules_in(ENGINE / "lowering" / "check.c") > OF_SUSPENDS
    for abi, sources in SOURCES.items():
        wanted = rules_in(ENGINE / "lowering" / "check.c") | {"custom-abi"}
        for source in sources:
            wanted |= rules_in(ENGINE / "abi" / source)
        wanted -= UNREACHED.keys() | OF_OTHERS[abi] | (OF_SUSPENDS if abi != "switch" else set())
        reached = s.broken.RULES_OF[abi].keys() | (s.broken.RULES_OF["retcon.once"].keys() if abi == "retcon" else set())
        assert reached == wanted
    everywhere = {rule for path in ENGINE.rglob("*.c") for rule in rules_in(path)}
    assert everywhere - s.broken.RULES.keys() == UNREACHED.keys()


def test_a_rule_belongs_to_an_abi() -> None:
    with pytest.raises(pycoro.UsageError, match="'yields-once' is not a rule of the switch ABI"):
        s.broken.Malformed(s.sample(3, s.SMALL), "yields-once").text()
    with pytest.raises(pycoro.UsageError, match="malformed programs cannot be"):
        s.broken.Malformed(s.sample(3, s.ALL.but(built=4)), "one-begin").text()


def test_malformed_programs_print_as_their_constructors() -> None:
    malformed = s.broken.Malformed(s.sample(3, s.SMALL), "one-begin")
    assert eval(repr(malformed), {**vars(s.model), **vars(s.acts), **vars(s.broken)}) == malformed


def test_hypothesis_draws_them() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    hypothesis.settings(max_examples=40, deadline=None, derandomize=True, database=None)(hypothesis.given(s.malformed())(check))()
    two = s.malformed(rules=("coro-id", "one-begin"))
    settings = hypothesis.settings(max_examples=100, database=None, derandomize=True, deadline=None)
    small = hypothesis.find(two, lambda malformed: malformed.rule == "one-begin", settings=settings)
    assert small == s.broken.Malformed(s.Program((s.model.Coroutine("f", (), guarded=False),), (s.model.Drive("f"),)), "one-begin")
    with pytest.raises(pycoro.UsageError, match="no given rule applies"):
        hypothesis.find(s.malformed(s.SMALL, rules=("yields-once",)), lambda _: True, settings=settings)
