"""Lowering takes nearly linear time on bench's inputs."""

from __future__ import annotations

import itertools
import pathlib
import re
import sys
from collections.abc import Callable

import pytest
from growth import assert_nearly_linear

import pycoro

sys.path.append(str(pathlib.Path(__file__).parents[2] / "bench"))
sys.path.append(str(pathlib.Path(__file__).parents[1] / "real"))
import coroharness as harness
import families
import growing

CHAIN = pathlib.Path(__file__).parents[2] / "bench" / "chain.cpp"

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def assert_run_is_nearly_linear(
    draw: Callable[[int], str],
    n: int,
    passes: str | pycoro.Pipeline = PASSES,
    verify: bool = True,
    verify_each: bool = False,
) -> None:
    texts = {size: draw(size) for size in (n, 4 * n)}

    def prepare(size: int) -> Callable[[], object]:
        module = pycoro.Module(texts[size], trusted=True)
        return lambda: module.run(passes, verify=verify, verify_each=verify_each)

    assert_nearly_linear(prepare, n)


def test_quadratic_growth_is_detected() -> None:
    """Also if single runs of the small input take ten times longer, as on a busy machine."""
    turns = itertools.count()

    def prepare(size: int) -> Callable[[], object]:
        repeated = 10 if size == 200 and next(turns) % 3 else 1
        return lambda: [sum(range(size)) for _ in range(size * repeated)]

    with pytest.raises(AssertionError, match="for size 800"):
        assert_nearly_linear(prepare, 200, slack=0)
    assert_nearly_linear(lambda size: lambda: sum(range(1000 * size)), 200, slack=0)


@pytest.mark.parametrize(
    ("draw", "n"),
    [
        (growing.reloads, 2000),
        pytest.param(growing.functions, 3000, marks=pytest.mark.slow),
        (growing.far_variables, 1000),
        (growing.ended, 2000),
        (growing.ended_otherwise, 500),
        (families.lifetimes, 4000),
        (growing.turns, 4000),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_lowering_time_is_nearly_linear(draw: Callable[[int], str], n: int) -> None:
    assert_run_is_nearly_linear(draw, n)


@pytest.mark.parametrize(
    ("draw", "n", "passes"),
    [
        (growing.selects, 1000, "coro-cleanup"),
        (growing.destroyed_variables, 2000, "coro-early"),
        (growing.freed_again, 2000, "coro-early"),
        (growing.caught_without_return, 1000, "coro-early"),
        (growing.recorded_before_end, 5000, "coro-early"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_passes_before_and_after_the_split_are_nearly_linear(draw: Callable[[int], str], n: int, passes: str) -> None:
    # LLVM's verifier is quadratic in the depth of the dominator tree
    assert_run_is_nearly_linear(draw, n, passes, verify=False)


def test_reports_quote_shared_instructions_once() -> None:
    at_once = "coro-early,function(instnamer),cgscc(coro-split),coro-cleanup"  # later LLVM passes make a report necessary then
    assert_run_is_nearly_linear(growing.met, 1000, at_once)


def test_verify_each_verifies_once_per_pass() -> None:
    assert_run_is_nearly_linear(growing.functions, 100, verify_each=True)


def test_inline_cost_of_a_caller_is_computed_once() -> None:
    elide = "coro-early,cgscc(coro-split,coro-annotation-elide),coro-cleanup"
    assert_run_is_nearly_linear(growing.many_safe_callees, 500, elide)


@pytest.mark.parametrize(("draw", "n"), [(growing.read_in_turn, 16_000), (growing.read_in_loops, 4_000)])
def test_reload_placement_is_not_quadratic(draw: Callable[[int], str], n: int) -> None:
    def share() -> float:  # of the time of value numbering, which does visit everything
        stages = pycoro.lower(draw(n), "cgscc(coro-split<reuse-storage>)", verify=False).stages
        return stages["reload_points"] / stages["number"]

    assert min(share() for _ in range(3)) < 1


def test_destroy_and_cleanup_are_compared_in_linear_time() -> None:
    assert_run_is_nearly_linear(growing.twins, 4_000, "coro-cleanup")


class Choosing(pycoro.SwitchABI):
    def select(self, coroutine: pycoro.Candidate) -> bool:
        return coroutine.name != "" and "presplitcoroutine" in coroutine.attributes


def test_abi_queries_have_constant_cost() -> None:
    passes = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Choosing()]), "coro-cleanup")
    assert_run_is_nearly_linear(growing.functions, 300, passes)


def unwind_ends(count: int) -> str:
    """Return a coroutine with calls that may throw, each with its own unwind end before a common cleanup."""
    calls, exceptions = [], []
    for i in range(count):
        exceptions.append(f"[ %e{i}, %thrown{i} ]")
        calls.append(f"""a{i}:
  invoke void @work() to label %a{i + 1} unwind label %thrown{i}
thrown{i}:
  %e{i} = landingpad {{ ptr, i32 }} cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp{i} = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp{i}, label %cleanup, label %eh.resume""")
    return f"""
declare i32 @__gxx_personality_v0(...)
declare void @work()
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {{
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %end [ i8 0, label %a0
                                  i8 1, label %a{count} ]
{chr(10).join(calls)}
a{count}:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %end
cleanup:
  %exception = phi {{ ptr, i32 }} {", ".join(exceptions)}
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %eh.resume
eh.resume:
  %propagated = phi {{ ptr, i32 }} [ %exception, %cleanup ], {", ".join(exceptions)}
  resume {{ ptr, i32 }} %propagated
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %frame
}}
"""


def test_unwind_ends_with_one_cleanup_share_one_suspend() -> None:
    for count in (2, 500):
        module = pycoro.Module(unwind_ends(count))
        module.run("coro-early")
        text = str(module)
        assert text.count("call i8 @llvm.coro.suspend(") == 2
        assert text.count("call ptr @llvm.coro.free(") == 3  # the body's, the ramp's, and one copy for destroy


def awaited_chain(depth: int) -> str:
    """Return a chain of coroutines: each creates the next and destroys it after its suspend."""
    start = (
        "define ptr @c{i}() presplitcoroutine {{\n"
        "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
        "  %needed = call i1 @llvm.coro.alloc(token %id)\n"
        "  br i1 %needed, label %allocate, label %begin\n\n"
        "allocate:\n  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n  br label %begin\n\n"
        "begin:\n  %frame = phi ptr [ null, %0 ], [ %memory, %allocate ]\n"
        "  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)\n{body}"
        "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
        "  switch i8 %s, label %suspended [\n    i8 0, label %resumed\n    i8 1, label %destroyed\n  ]\n\n"
        "resumed:\n  call void @use(i64 {i})\n  br label %destroyed\n\n"
        "destroyed:\n{end}  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)\n"
        "  %is = icmp ne ptr %freed, null\n  br i1 %is, label %free, label %suspended\n\n"
        "free:\n  call void @free(ptr %freed)\n  br label %suspended\n\n"
        "suspended:\n  call void @llvm.coro.end(ptr null, i1 false, token none)\n  ret ptr %handle\n}}\n\n"
    )
    body = "  %next = call ptr @c{}()\n  call void @llvm.coro.resume(ptr %next)\n"
    end = "  call void @llvm.coro.destroy(ptr %next)\n"
    chain = "".join(start.format(i=i, body=body.format(i + 1), end=end) for i in range(depth))
    declared = (
        "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i1 @llvm.coro.alloc(token)\n"
        "declare i64 @llvm.coro.size.i64()\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
        "declare i8 @llvm.coro.suspend(token, i1)\ndeclare ptr @llvm.coro.free(token, ptr)\n"
        "declare void @llvm.coro.end(ptr, i1, token)\ndeclare void @llvm.coro.resume(ptr)\n"
        "declare void @llvm.coro.destroy(ptr)\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @use(i64)\n"
    )
    return chain + start.format(i=depth, body="", end="") + declared


def functions_given_to_llvm(text: str | bytes, passes: str = "default<O2>") -> tuple[int, int]:
    """Count LLVM's pass runs on the whole module, and the functions in runs on selected functions."""
    report = pycoro.Module(text).run(passes)
    targets = [step.target for step in report.steps if not step.is_pycoro]
    return targets.count("[module]"), sum(int(target[1:].split()[0]) for target in targets if target.endswith(" functions]"))


def test_llvm_runs_on_each_function_of_the_call_graph_once() -> None:
    shallow, deep = (functions_given_to_llvm(awaited_chain(depth)) for depth in (40, 160))
    assert deep[0] == shallow[0]  # at any depth
    assert 0 < deep[1] < 4.5 * shallow[1]
    assert deep[1] < 8 * 160  # a second visit after each elision would make it 9


def test_llvm_does_not_optimize_the_unused_functions_of_elided_coroutines() -> None:
    exported = awaited_chain(160)
    unused = exported.replace("define ptr @c", "define linkonce_odr ptr @c").replace("linkonce_odr ptr @c0(", "ptr @c0(")
    assert functions_given_to_llvm(unused)[1] < functions_given_to_llvm(exported)[1] - 160  # the ramps


def test_llvm_visits_each_task_of_a_chain_once_before_and_after_its_split() -> None:
    def visited(depth: int) -> tuple[int, int]:
        return functions_given_to_llvm(harness.presplit(CHAIN, "-O2", (*harness.LANGUAGE, f"-DDEPTH={depth}")).read_bytes())

    shallow, deep = visited(40), visited(160)
    assert deep[0] == shallow[0]
    # f twice (once by few passes), f.resume, f.cleanup, and f.resume again with its resumption of the next task inlined;
    # without attributes of awaiters before the first of these passes it would be two more
    assert deep[1] - shallow[1] < 5.5 * (160 - 40)


@pytest.mark.slow
def test_debug_records_do_not_multiply_along_a_chain() -> None:
    def records(depth: int) -> int:
        module = pycoro.Module(harness.presplit(CHAIN, "-O2", (*harness.LANGUAGE, "-g", f"-DDEPTH={depth}")).read_bytes())
        module.run("default<O2>")
        return str(module).count("#dbg_")

    # beyond the limit of elided frames, at 341, f.cleanup has code, which the next two links inline
    assert records(350) < 1.2 * records(340)


def test_cleanup_is_not_inlined_along_a_chain(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "chain.cpp"
    on_heap = (
        "char large[20000]; use(large); co_await std::suspend_always{}; use(large); co_return large[0];"  # beyond max-frame-bytes
    )
    source.write_text("void use(char *);\n" + CHAIN.read_text().replace("co_return 1;", f"{{ {on_heap} }}"))

    def instructions(depth: int) -> int:  # of all f.cleanup; each destroys the next
        module = pycoro.Module(harness.presplit(source, "-O2", (*harness.LANGUAGE, f"-DDEPTH={depth}")).read_bytes())
        module.run("default<O2>")
        functions = re.findall(r"^define [^\n]*\.cleanup\(.*?^}", str(module), re.MULTILINE | re.DOTALL)
        return sum(len(re.findall("^  ", function, re.MULTILINE)) for function in functions)

    assert instructions(60) - instructions(40) < 14 * (60 - 40)


def test_a_group_outside_of_levels_visits_each_function_once() -> None:
    passes = "coro-early,cgscc(inline,function(sroa,early-cse,simplifycfg),coro-split,function(coro-elide)),coro-cleanup"
    shallow, deep = (functions_given_to_llvm(awaited_chain(depth), passes) for depth in (40, 160))
    assert deep[0] == shallow[0]  # runs on the whole module
    assert 0 < deep[1] < 4.5 * shallow[1]
