"""The linter finds planted mistakes, each rule in several variants and in random programs, and nothing in correct programs."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import mistakes
import pytest
from growth import assert_nearly_linear

import pycoro
from pycoro import lint, oracle
from pycoro import strategies as s
from pycoro.lint import RULES
from pycoro.lint.after_suspend import successor_for_suspend_result
from pycoro.lint.program import Program

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "tests/props")]
import growing  # noqa: E402
import linted  # noqa: E402

SEEDS = range(int(os.environ.get("PYCORO_MISTAKES", "1")))
DRAWN = int(os.environ.get("PYCORO_LINTED", "40"))
WAYS = [(rule, way) for rule, ways in mistakes.MISTAKES.items() for way in range(len(ways))]


def rules_of(text: str | bytes | Path, **how: object) -> list[str]:
    return [finding.rule for finding in pycoro.Module(text, trusted=True).lint(**how)]


# ---- Findings ----


def test_every_rule_has_at_least_three_planted_variants():
    assert mistakes.MISTAKES.keys() == RULES.keys()
    assert all(len(ways) >= 3 for ways in mistakes.MISTAKES.values())


@pytest.mark.parametrize(("rule", "way"), WAYS)
def test_planted_mistakes_are_found(rule, way):
    for seed in SEEDS:
        found = pycoro.Module(mistakes.mistaken(rule, way, seed), trusted=True).lint(notes=RULES[rule].severity == "note")
        mine = [finding for finding in found if finding.rule == rule]
        assert mine, seed
        for finding in mine:
            assert finding.message and finding.hint and finding.function and finding.block and finding.instruction


def test_a_result_that_cannot_be_folded_is_named():
    def found(name: str) -> list[str]:
        module = pycoro.Module(ROOT / "tests/ir/switch" / name, trusted=True)
        return [finding.message for finding in module.lint(select=["suspend-result"], notes=True)]

    kept = "the suspend's result cannot be folded: `%sum = add i8 %s1, %s2` uses the result elsewhere"
    assert found("suspend-result-kept.ll") == [kept, kept]
    assert found("suspend-result-computed.ll") == []  # each operation that the engine folds


def test_the_linter_folds_as_the_engine_does():
    """The branch of each suspend, by the linter and by the engine."""
    module = pycoro.Module(ROOT / "tests/ir/switch/suspend-result-computed.ll", trusted=True)
    program = Program(module, pycoro.CoroSplit())
    compared = 0
    for coroutine in module.coroutines.values():
        body = program.body(next(f for f in program.checked_functions if f.name == coroutine.name))
        (suspend,), (point,) = body.suspends, coroutine.suspends
        for result, block in ((-1, point.suspend_block), (0, point.resume_block), (1, point.destroy_block)):
            to = successor_for_suspend_result(body, body.position[suspend][0], suspend, result)
            assert to is not None and f"%{body.blocks[to].name}" == block, (coroutine.name, result)
            compared += 1
    assert compared == 63


def test_what_the_engine_refuses_is_told_by_its_rule():
    for number, rule in enumerate(sorted(s.broken.RULES_OF["switch"])):
        malformed = s.broken.Malformed(s.sample(number, s.ALL.but(abis=("switch",), callees=("switch",), built=0)), rule)
        assert rule in rules_of(malformed.text()), rule


def test_a_missing_attribute_hides_no_other_finding():
    """Neither the rules' findings, in the coroutine and in its callers, nor the engine's rejections; also with two coroutines."""
    text = pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,")
    text = text.replace("token none, i1 false)", "token none, i1 true)")
    text = text.replace("  %unused = call", "  %lost = call ptr @llvm.coro.free(token %id, ptr %handle)\n  %unused = call")
    marked = rules_of(text)
    unmarked = text.replace(" presplitcoroutine", "")
    assert sorted(marked) == ["one-final-suspend", "promise-align", "unused-free"]
    assert sorted(rules_of(unmarked)) == sorted([*marked, "presplitcoroutine"])
    assert sorted(rules_of(unmarked, select=["unused-free", "promise-align"])) == ["promise-align", "unused-free"]
    other = re.sub(r"define i32 @sum.*?\n}\n", "", unmarked, flags=re.DOTALL).replace("@counter", "@other")
    other = re.sub(r"^declare .*\n", "", other, flags=re.MULTILINE)
    assert rules_of(unmarked + other).count("presplitcoroutine") == 2


# ---- Correct code ----


STEP = """
define ptr @f(ptr %memory) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
BODY
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @free(ptr)
declare void @work()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
"""
FREES = "on:\n  %m = call ptr @llvm.coro.free(token %id, ptr %handle)\n  call void @free(ptr %m)\n  br label %out"
IGNORED = "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (IGNORED + "  br label %out", []),
        (IGNORED + "  br label %next\nnext:\n  br label %out", []),
        (IGNORED + "  call void @work()\n  br label %out", ["ignored-suspend"]),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %on ]\non:\n  call void @work()\n  unreachable", []),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %on ]\non:\n  unreachable", ["resume-unreachable"]),
        (IGNORED.replace("false", "true") + "  switch i8 %s, label %out [ i8 0, label %on ]\non:\n  unreachable", []),
        (IGNORED + "  switch i8 %s, label %out [ i8 1, label %on ]\non:\n  unreachable", []),
        (IGNORED + "  switch i8 %s, label %out [ i8 -1, label %out i8 2, label %on ]\non:\n  br label %out", ["impossible-result"]),
        (IGNORED + "  %c = icmp eq i8 %s, -1\n  br i1 %c, label %out, label %on\non:\n  br label %out", []),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %out i8 1, label %out ]", []),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %on i8 1, label %out ]\n" + FREES, ["destroy-leaks"]),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %on i8 1, label %on ]\n" + FREES, []),
        (IGNORED + "  switch i8 %s, label %out [ i8 0, label %on i8 1, label %off ]\noff:\n  unreachable\n" + FREES, []),
        (
            IGNORED + "  switch i8 %s, label %out [ i8 0, label %on i8 1, label %off ]\noff:\n  call void @free(ptr %memory)\n"
            "  br label %out\n" + FREES,
            [],
        ),
        (
            "  %a = alloca ptr\n  store ptr %handle, ptr %a\n" + IGNORED + "  switch i8 %s, label %out "
            "[ i8 0, label %on i8 1, label %off ]\noff:\n  %h = load ptr, ptr %a\n  call void @free(ptr %h)\n  br label %out\n"
            + FREES,
            [],
        ),
        ("  %m = call ptr @llvm.coro.free(token %id, ptr %handle)\n  br label %out", ["unused-free"]),
        ("  %m = call ptr @llvm.coro.free(token %id, ptr %handle)\n  call void @free(ptr %m)\n  br label %out", []),
    ],
)
def test_rules_of_suspends_and_frees(body, rules):
    assert rules_of(STEP.replace("BODY", body), ignore=["rejected"]) == rules


@pytest.mark.parametrize(("bytes", "rules"), [(24, []), (23, ["frame-memory-size"]), (64, [])])
def test_memory_of_a_constant_size(bytes, rules):
    body = IGNORED + "  switch i8 %s, label %out [ i8 0, label %on i8 1, label %on ]\n" + FREES
    body = body.replace("  %m =", "  call void @use(ptr %memory)\n  %m =")
    text = STEP.replace("BODY", body).replace("@f(ptr %memory)", "@f()") + "declare ptr @malloc(i64)\ndeclare void @use(ptr)\n"
    text = text.replace("  %handle =", f"  %memory = call ptr @malloc(i64 {bytes})\n  %handle =")
    assert pycoro.Module(text).coroutines["f"].frame.size == 24
    assert rules_of(text) == rules


def test_random_programs_have_no_findings():
    for seed in range(DRAWN):
        assert not rules_of(s.module([s.sample(seed)])), seed


@pytest.mark.parametrize("path", sorted((ROOT / "tests/seeds").glob("*.ll")), ids=lambda path: path.stem)
def test_the_documents_programs_have_no_findings(path):
    assert not rules_of(path)


@pytest.mark.parametrize("group", ["tests/ir", "tests/miscompiles", "LLVM's tests"])
def test_findings_in_inputs_are_reviewed(group):
    """Findings in the inputs are reviewed. All groups: python tests/props/linted.py."""
    found = linted.lint_all(linted.llvm() if group.startswith("LLVM") else linted.texts_in(ROOT / group))
    if not found.modules:
        pytest.skip("PYCORO_LLVM_TESTS does not say where LLVM's tests are")
    assert not linted.unknown_findings(group, found)
    assert {name for name, _ in found.alarms} == set(linted.KNOWN[group])


# ---- Fixes ----


FIXED = [(rule, way) for rule, way in WAYS if rule in ("shared-suspend", "elide-safe-escapes", "noalias", "free-without-coro-free")]
FIXED += [("end-before-return", way) for way in range(3)] + [("promise-align", way) for way in range(3)]


@pytest.mark.parametrize(("rule", "way"), FIXED)
def test_fixed_mistakes_are_not_found_again(rule, way):
    module = pycoro.Module(mistakes.mistaken(rule, way, 1), trusted=True)
    findings = module.lint(select=[rule])
    patch, before = findings.patch(), str(module)
    assert patch.startswith("---") and str(module) == before
    assert findings.fix() == len(findings)
    assert str(module) != before
    assert rule not in [finding.rule for finding in module.lint()]
    module.verify()


SAME = [("shared-suspend", 0), ("shared-suspend", 1), ("end-before-return", 0), ("end-before-return", 1)]


@pytest.mark.parametrize(("rule", "way"), SAME)
def test_fixed_programs_behave_as_intended(rule, way):
    """The correct program, lowered, and the one with the mistake, fixed and lowered, behave the same."""
    mistake = mistakes.MISTAKES[rule][way]
    right = mistake._replace(how=mistake.how._replace(edits=()), late=())

    def fixed(_: str) -> str:
        module = pycoro.Module(mistakes.mistaken(rule, way, seed), trusted=True)
        module.lint().fix()
        return str(pycoro.lower(module).module)

    for seed in (3, 5):
        text = mistakes.mistaken(rule, way, seed, mistake=right)
        assert not rules_of(text)
        verdict = oracle.compare(text, ramp="drives", lowering=oracle.CallableLowering(fixed), reference="pycoro", timeout=5)
        assert verdict and verdict.executed, verdict


def test_an_allocation_is_guarded_by_the_fix(tmp_path):
    text = (ROOT / "tests/seeds/counter.ll").read_text()
    module = pycoro.Module(text, host=True)
    findings = module.lint(notes=True)
    assert [(f.rule, f.severity, f.fixable) for f in findings] == [("unguarded-allocation", "note", True)]
    findings.fix()
    assert not module.lint(notes=True)

    def fixed(_: str) -> str:
        return str(pycoro.lower(module).module)

    verdict = oracle.compare(text, ramp="main", lowering=oracle.CallableLowering(fixed), reference="pycoro", timeout=5)
    assert verdict and verdict.executed, verdict


def test_stale_findings_do_not_apply_fixes():
    module = pycoro.Module(mistakes.mistaken("shared-suspend", 0, 1))
    findings = module.lint()
    assert findings.fix() > 0
    with pytest.raises(pycoro.StaleViewError):
        findings.fix()
    with pytest.raises(pycoro.StaleViewError):
        findings.patch()
    assert "shared-suspend" in str(findings)  # it is plain data


def test_a_missing_attribute_is_added():
    text = (ROOT / "tests/seeds/promise.ll").read_text().replace(" presplitcoroutine", "")
    module = pycoro.Module(text)
    assert [finding.rule for finding in module.lint()] == ["presplitcoroutine"]
    assert module.lint().fix() == 1
    assert not module.lint() and module.functions["f"].is_presplit


# ---- Selection ----


def planted() -> str:
    return mistakes.mistaken("use-after-destroy", 0, 0)


def test_a_call_that_destroys_by_one_copy_of_the_handle_and_resumes_by_another():
    text = """
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
define void @both(ptr %first, ptr %second) {
  call void @llvm.coro.resume(ptr %second)
  call void @llvm.coro.destroy(ptr %first)
  ret void
}
define void @f(ptr %h) {
  %copy = getelementptr i8, ptr %h, i64 0
  call void @both(ptr %h, ptr %copy)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}
"""
    findings = [f for f in pycoro.Module(text).lint() if f.rule == "use-after-destroy"]
    assert [f.message for f in findings] == ["the coroutine is destroyed after it was destroyed"]


def test_rules_are_chosen():
    module = pycoro.Module(planted())
    assert {f.rule for f in module.lint(select=["use-after-destroy"])} == {"use-after-destroy"}
    assert "use-after-destroy" not in {f.rule for f in module.lint(ignore=["use-after-destroy"])}
    assert not module.lint(select=[])
    assert module.lint().counts["use-after-destroy"] == 1


@pytest.mark.parametrize("kind", ["pycoro.ignore", "pycoro.ignore.use-after-destroy"])
def test_one_location_can_be_ignored(kind):
    text = planted().replace(
        "call void @llvm.coro.resume(ptr %h)\n  ret void", f"call void @llvm.coro.resume(ptr %h), !{kind} !0\n  ret void"
    )
    assert "use-after-destroy" not in rules_of(text + "\n!0 = !{}\n")
    other = text.replace(kind, "pycoro.ignore.noalias")
    assert "use-after-destroy" in rules_of(other + "\n!0 = !{}\n")


def test_a_function_can_be_ignored():
    text = planted().replace("define void @mistaken() {", "define void @mistaken() !pycoro.ignore !0 {")
    assert not rules_of(text + "\n!0 = !{}\n")


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"select": ["no-such-rule"]}, pycoro.UsageError),
        ({"ignore": ["shared-suspends"]}, pycoro.UsageError),
        ({"select": "noalias"}, TypeError),
        ({"select": [1]}, TypeError),
        ({"notes": "yes"}, TypeError),
        ({"split": "coro-split"}, TypeError),
    ],
)
def test_invalid_options_are_errors(how, error):
    with pytest.raises(error):
        pycoro.Module(planted()).lint(**how)


@pytest.mark.parametrize("passed", ["ptr %m", "ptr %m, ptr %m, ptr %m, ptr %m"])
def test_a_call_with_another_number_of_arguments(passed):
    """LLVM accepts a call whose function type is not that of its callee."""
    text = f"""
define ptr @f(ptr %memory, ptr noalias %p, i32 %n) presplitcoroutine {{
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %out ]
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}}
define ptr @g(ptr %m) {{
  %x = call ptr @f({passed})
  ret ptr %x
}}"""
    assert not pycoro.Module(text).lint(select=["noalias"])


@pytest.mark.parametrize("types", ["", "i32", "i32, i32"])
def test_a_dynamic_id_with_too_few_arguments(types):
    """The verifier of LLVM 22 does not check the number, because the dynamic id is no intrinsic of that version."""
    name, zeros = "@llvm.coro.id.retcon.once.dynamic", types.replace("i32", "i32 0")
    text = f"""
declare token {name}({types})
define ptr @f(ptr %memory) presplitcoroutine {{
  %id = call token {name}({zeros})
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  ret ptr %h
}}"""
    assert [finding.rule for finding in pycoro.Module(text).lint()] == ["dynamic-operands"]


def test_the_nearest_rule_is_said():
    with pytest.raises(pycoro.UsageError, match="did you mean 'shared-suspend'"):
        pycoro.Module(planted()).lint(ignore=["shared-suspends"])


def test_linting_does_not_change_the_module():
    module = pycoro.Module(planted())
    before, generation = str(module), module.generation
    module.lint(notes=True)
    assert (str(module), module.generation) == (before, generation)
    module.close()
    with pytest.raises(pycoro.ClosedError):
        module.lint()


# ---- Output ----


def test_findings_have_source_locations():
    text = planted().replace(
        "call void @llvm.coro.resume(ptr %h)\n  ret void", "call void @llvm.coro.resume(ptr %h), !dbg !5\n  ret void"
    )
    text = text.replace("define void @mistaken() {", "define void @mistaken() !dbg !3 {")
    text += """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "gen.u", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "mistaken", file: !1, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocation(line: 7, column: 3, scope: !3)
"""
    finding, *_ = pycoro.Module(text).lint(select=["use-after-destroy"])
    assert finding.location is not None and str(finding.location) == "gen.u:7:3"
    assert "gen.u:7:3, in @mistaken" in str(finding)


def test_sarif_output_structure():
    findings = pycoro.Module(planted(), name="a b.ll").lint()
    log = findings.to_sarif()
    assert json.loads(json.dumps(log)) == log
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0" and [rule["id"] for rule in rules][: len(RULES)] == list(RULES)
    assert len(run["results"]) == len(findings) > 0
    for result, finding in zip(run["results"], findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.rule
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"].endswith(".")
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.ll"
        assert place["logicalLocations"][0]["name"] == finding.function
    assert all(rule["help"]["text"] for rule in rules[: len(RULES)])


def test_command_line(tmp_path, capsys):
    from pycoro.cli import main

    path, fixed = tmp_path / "mistaken.ll", tmp_path / "fixed.ll"
    path.write_text(mistakes.mistaken("shared-suspend", 0, 1))
    assert main(["lint", str(path)]) == 1
    assert "error[shared-suspend]" in capsys.readouterr().out
    assert main(["lint", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["rule"] == "shared-suspend"
    assert main(["lint", str(path), "--sarif"]) == 1
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"
    assert main(["lint", str(path), "--diff"]) == 1
    assert "+++" in capsys.readouterr().out
    assert main(["lint", str(path), "--fix", "-o", str(fixed)]) == 0
    assert main(["lint", str(fixed)]) == 0
    assert main(["lint", str(path), "--fix", "-o", "-"]) == 0
    assert capsys.readouterr().out == fixed.read_text().replace(str(fixed), str(path))
    assert main(["lint", str(path), "--ignore", "shared-suspend"]) == 0
    with pytest.raises(SystemExit) as ended:
        main(["lint", "--rules"])
    listed = capsys.readouterr().out
    assert ended.value.code == 0 and all(rule in listed for rule in lint.RULES)
    assert "Usually a branch to the block is missing." in " ".join(listed.split()), "the reason of a rule"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["IN", "--select", "no-such"], 2, "no rule 'no-such'"),
        (["IN", "--fix"], 2, "-o OUT"),
        (["IN", "-o", "x.ll"], 2, "add --fix"),
        (["IN", "--fix", "-o", "x.ll", "--diff"], 2, "use either --fix or --diff"),
        (["/nowhere/at/all.ll"], 1, "No such file"),
        (["EMPTY"], 1, "error"),
    ],
)
def test_invalid_command_lines(arguments, status, said, tmp_path, capsys):
    from pycoro.cli import main

    (tmp_path / "in.ll").write_text(planted())
    (tmp_path / "empty.ll").write_text("no IR")
    named = {"IN": str(tmp_path / "in.ll"), "EMPTY": str(tmp_path / "empty.ll")}
    assert main(["lint", *(named.get(argument, argument) for argument in arguments)]) == status
    assert said in capsys.readouterr().err


# ---- Cost ----


def function_with_many_mistakes(n: int) -> str:
    """Return a function with many mistakes: each destroy except the first is one."""
    calls = "  call void @llvm.coro.resume(ptr %h)\n" * n + "  call void @llvm.coro.destroy(ptr %h)\n" * n
    declared = "declare void @llvm.coro.resume(ptr)\ndeclare void @llvm.coro.destroy(ptr)\n"
    return f"{declared}define void @f(ptr %h) {{\n{calls}  ret void\n}}\n"


@pytest.mark.parametrize(("draw", "n"), [(growing.reloads, 500), (growing.functions, 50), (function_with_many_mistakes, 300)])
def test_cost_is_linear_in_the_input(draw, n):
    def prepare(size: int):
        module = pycoro.Module(draw(size), trusted=True)
        return lambda: module.lint(notes=True)

    assert_nearly_linear(prepare, n, slack=0.05)


def test_lint_is_a_subcommand():
    assert pycoro.lint is lint


def test_an_unread_async_function_pointer_may_be_constant():
    text = mistakes.mistaken("constant-async-pointer", 0, 1)
    (finding,) = [each for each in pycoro.Module(text).lint() if each.rule == "constant-async-pointer"]
    assert "@sized_fp is constant, and @size.of loads from it" in str(finding)
    assert "make @sized_fp a global" in finding.hint
    for right in (
        text.replace("@sized_fp = constant", "@sized_fp = global"),
        re.sub(r"load i32, ptr getelementptr.*", "add i32 0, 1", text),
    ):
        assert "constant-async-pointer" not in rules_of(right)
