"""Programs from `pycoro.strategies`: valid, deterministic, readable, diverse and bounded."""

from __future__ import annotations

import itertools
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import pytest

import pycoro
from pycoro import strategies as s
from pycoro.strategies import model
from pycoro.strategies.choices import Recorded, Seeded, shrink
from pycoro.strategies.model import all_statements, bodies
from pycoro.strategies.unused import without_unused_parts

SAMPLES = [s.sample(seed) for seed in range(320)]


def statements(program: s.Program) -> list[model.Statement]:
    return [found for coroutine in program.coroutines for found in all_statements(coroutine.body)]


def evaluated(program: s.Program) -> s.Program:
    made = eval(repr(program), {**vars(s.model), **vars(s.acts)})
    assert isinstance(made, s.Program)
    return made


def test_programs_print_as_their_constructors() -> None:
    for program in SAMPLES:
        again = evaluated(program)
        assert again == program and hash(again) == hash(program)
        assert repr(again) == repr(program)
        assert s.module([again]) == s.module([program])
    assert pickle.loads(pickle.dumps(SAMPLES[0])) == SAMPLES[0]


def test_the_same_seed_gives_the_same_program_in_any_process() -> None:
    code = "from pycoro import strategies as s; print(repr(s.sample(7)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == repr(s.sample(7))
    assert s.sample(7) != s.sample(8)


def test_many_programs_share_a_module_and_can_be_lowered() -> None:
    prefixes = [f"p{number}." for number in range(len(SAMPLES))]
    module = pycoro.Module(s.module(SAMPLES, prefixes))
    assert set(s.text.drivers(SAMPLES, prefixes)) <= set(module.functions)
    pairs = list(zip(SAMPLES, prefixes, strict=True))
    names = {prefix + of.name for program, prefix in pairs for of in (*program.coroutines, *program.built)}
    assert set(module.coroutines) == names
    module.run("coro-early,cgscc(coro-split),coro-cleanup", verify_each=True)
    assert "@llvm.coro." not in re.sub(r"^declare.*$", "", str(module), flags=re.MULTILINE)


def test_every_kind_of_statement_is_drawn() -> None:
    found = Counter(type(item) for program in SAMPLES for item in statements(program))
    sorts = {getattr(model, name) for name in model.__all__} & set(found)
    flow = {model.If, model.Switch, model.Loop, model.Tangle, model.Invoke, model.Leave}
    assert (
        sorts
        == {
            model.Let,
            model.Do,
            model.ReportValue,
            model.Suspend,
            model.Await,
            model.Local,
            model.Child,
            model.Call,
            model.Resume,
        }
        | flow
    )
    assert min(found.values()) >= 5, found


def test_every_kind_of_coroutine_is_drawn() -> None:
    coroutines = [coroutine for program in SAMPLES for coroutine in program.coroutines]
    items = [item for program in SAMPLES for item in statements(program)]
    assert {c.final for c in coroutines} == {c.guarded for c in coroutines} == {True, False}
    assert {bool(c.promise) for c in coroutines} == {bool(c.fails) for c in coroutines} == {True, False}
    assert {c.throws for c in coroutines} == {True, False}
    assert {c.abi for c in coroutines} == set(s.ALL.abis)
    assert {len(c.returned.yields) for c in coroutines if c.returned} == {0, 1, 2}
    assert {c.returned.takes for c in coroutines if c.returned} == {"", "i32", "i64", "double"}
    assert {c.abi for program in SAMPLES for c in program.coroutines[:-1]} == set(s.ALL.callees)
    assert {len(c.results) for c in coroutines if c.abi == "retcon.once"} == {0, 1, 2}
    assert {len(c.results) for c in coroutines if c.returned and c.returned.tail} == {0, 1, 2}
    assert {v.error for c in coroutines for v in c.variables} == {True, False}
    assert {p.error for c in coroutines for p in c.parameters} == {True, False}
    assert {i.asked for i in items if isinstance(i, model.Local)} == {True, False}
    assert {v.early for c in coroutines for v in c.variables} == {True, False}
    assert any(c.early for c in coroutines) and any(p.byval for c in coroutines for p in c.parameters)
    assert {i.form for i in items if isinstance(i, model.Await)} == {"void", "bool", "handle"}
    suspends = [i for i in items if isinstance(i, model.Suspend)]
    assert any(i.save for i in suspends) and any(i.gone for i in suspends) and {i.branches for i in suspends} == {True, False}
    text = s.module(SAMPLES, [f"p{n}." for n in range(len(SAMPLES))])
    wanted = ("coro_elide_safe", "byval(", "align 64", "<4 x float>", "i128", "{ i8, i64 }", "llvm.lifetime.end", "llvm.coro.noop")
    assert [word for word in wanted if word not in text] == []


@pytest.mark.parametrize(
    ("change", "sort"),
    [
        ({"loops": False, "tangles": False}, (model.Loop, model.Tangle)),
        ({"switches": False}, model.Switch),
        ({"tangles": False}, model.Tangle),
        ({"leaves": False}, model.Leave),
        ({"locals": False}, model.Local),
        ({"awaits": False}, model.Await),
        ({"exceptions": False}, model.Invoke),
        ({"children": False}, (model.Child, model.Call, model.Resume)),
        ({"results": False}, model.Call),
        ({"depth": 0}, (model.If, model.Loop, model.Switch, model.Tangle, model.Local, model.Child, model.Invoke)),
    ],
    ids=str,
)
def test_options_exclude_kinds_of_statements(change: dict[str, object], sort: type | tuple[type, ...]) -> None:
    for seed in range(80):
        assert not [item for item in statements(s.sample(seed, s.ALL.but(**change))) if isinstance(item, sort)]


@pytest.mark.parametrize(
    ("change", "word"),
    [({"asked": False}, "coro.alloca.alloc"), ({"errors": False}, "swifterror"), ({"results": False}, "end.results")],
)
def test_options_exclude_statements(change: dict[str, object], word: str) -> None:
    for some, found in ((s.ALL, True), (s.ALL.but(**change), False)):
        assert any(word in s.module([s.sample(seed, some)]) for seed in range(80)) == found


def test_wide_constants_are_compared_on_request() -> None:
    for some, found in ((s.ALL.but(compared=True), True), (s.ALL, False)):
        assert any("%known = icmp ult i" in s.module([s.sample(seed, some)]) for seed in range(40)) == found


def test_late_uses_are_drawn_on_request() -> None:
    life = r"lifetime\.start.*\n  store .*\n  %v\d+ = call i32 @pick\(\)\n"
    told = r"  %v\d+ = trunc .*\n  br i1 .*\n\nthen\d+:\n  call void @report_i32\(i32 %v"
    for some, found in ((s.SMALL.but(late=True), True), (s.SMALL, False)):
        assert any(re.search(life + told, s.module([s.sample(seed, some)])) for seed in range(80)) == found


def test_separate_cleanups_are_drawn_on_request() -> None:
    options = s.ALL.but(ends=True, abis=("switch",), built=0)
    drawn = [s.module([s.sample(seed, options)]) for seed in range(80)]
    assert any("br i1 %ramp, label %every.end, label %rethrow" in ir for ir in drawn)
    copies = [ir for ir in drawn if "%ends.leads" in ir and "br i1 %ramp, label %unmake" in ir]
    early = [str(pycoro.lower(ir, passes="coro-early").module) for ir in copies]
    copied = [ir for ir in early if re.search(r"^unmake.*\.unwound", ir, re.MULTILINE)]  # the others share the cleanup of a suspend
    assert 0 < len(copied) < len(early)
    assert not any("%ends.leads" in s.module([s.sample(seed, s.ALL)]) for seed in range(80))


def test_dynamic_allocas_live_across_suspends_where_llvm_supports_them() -> None:
    def across(options: s.Options) -> list[model.Statement]:
        drawn = [item for seed in range(80) for item in statements(s.sample(seed, options))]
        found = [item for item in drawn if isinstance(item, model.Local) and item.asked]
        return [item for item in found if any(isinstance(inner, model.Suspend) for inner in all_statements(item.body))]

    for abi in s.ALL.abis:
        alone = s.ALL.but(abis=(abi,), children=False)
        assert bool(across(alone)) == (abi == "retcon")
        assert bool(across(alone.but(faults=("asked-across",)))) == (abi != "retcon.once")


def nesting(body: model.Body) -> int:
    return max((1 + nesting(inner) for item in body for inner in bodies(item) if inner), default=0)


def test_options_are_bounds() -> None:
    options = s.ALL.but(
        abis=("switch",),
        statements=5, depth=1, coroutines=1, drives=1, steps=2, parameters=1, variables=0, kinds=("i64",), alignment=1,
        saves=False, promise=False, byval=False, fails=False, unended=False, elision=False, built=0,
    )  # fmt: skip
    for seed in range(150):
        program = s.sample(seed, options)
        (coroutine,), (drive,) = program.coroutines, program.drives
        assert coroutine.final and not coroutine.fails and not coroutine.promise and not coroutine.guarded
        assert len(coroutine.parameters) <= 1 and not coroutine.variables and len(drive.steps) <= 2
        assert nesting(coroutine.body) <= 2  # the code around a suspend counts as nested in it
        assert {p.kind for p in coroutine.parameters} <= {"i32", "i64"}
        assert not [i for i in all_statements(coroutine.body) if isinstance(i, model.Suspend) and i.save is not None]
        assert "align 32" not in s.module([program])
    with pytest.raises(pycoro.UsageError, match="must be a power of 2"):
        s.ALL.but(alignment=3)


def test_a_module_calls_only_declared_functions() -> None:
    ir = s.module(SAMPLES, [f"p{n}." for n in range(len(SAMPLES))])
    declared = set(re.findall(r"^declare .*?@([\w.]+)\(", ir, re.MULTILINE))
    wanted = {
        "alloc_aligned",
        "free_aligned",
        "alloc_frame",
        "free_frame",
        "pick",
        "begin_op",
        "_Unwind_RaiseException",
        "__gxx_personality_v0",
        *("malloc", "free", "alloc_context", "free_context", "abort"),  # of code that is built through pycoro.build
    }
    prototypes = {name for name in declared if name.endswith(".prototype")}
    rare = {"_Unwind_Resume_or_Rethrow"}
    assert {name for name in declared - prototypes - rare if not name.startswith(("report_", "llvm."))} == wanted
    assert {name for name in declared if name.startswith("report_")} <= {
        f"report_{kind}" for kind in ("i1", "i8", "i16", "i32", "i64", "float", "double", "ptr")
    }


# ---- Choices ----


def test_choices_are_reproducible() -> None:
    seeded = Seeded(3)
    program = s.draw.program(seeded)
    recorded = Recorded(seeded.made)
    assert s.draw.program(recorded) == program and recorded.made == seeded.made
    assert s.draw.program(Recorded([])) == s.Program((model.Coroutine("f", (), guarded=False),), (model.Drive("f"),))


def suspends_in_a_loop(program: s.Program) -> bool:
    return any(
        isinstance(i, model.Loop) and any(isinstance(j, model.Suspend) for j in all_statements(i.body)) for i in statements(program)
    )


def test_choices_are_shrunk() -> None:
    seed = next(seed for seed in range(100) if suspends_in_a_loop(s.sample(seed)))
    seeded = Seeded(seed)
    s.draw.program(seeded)
    made = shrink(seeded.made, lambda choices: suspends_in_a_loop(s.draw.program(Recorded(choices))))
    small = s.draw.program(Recorded(made))
    assert suspends_in_a_loop(small)
    assert len(statements(small)) <= 3 and len(repr(small)) < 250


# ---- Hypothesis ----


def test_pycoro_does_not_need_hypothesis() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import pycoro; from pycoro import strategies\n"
        "print(strategies.sample(1) == strategies.sample(1))\n"
        "try: strategies.programs\n"
        "except ImportError as error: print('pip install' in str(error))\n"
        "assert not hasattr(strategies, 'nothing')\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["True", "True"]
    code = "import sys, pycoro; assert 'hypothesis' not in sys.modules and 'pycoro.strategies' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_strategies_draw_and_shrink() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    settings = hypothesis.settings(max_examples=500, database=None, derandomize=True, deadline=None)

    def says_across(program: s.Program) -> bool:
        body = program.coroutines[-1].body
        return any(isinstance(a, model.Suspend) and isinstance(b, model.ReportValue) for a, b in itertools.pairwise(body))

    small = hypothesis.find(s.programs(s.SMALL), says_across, settings=settings)
    assert len(small.coroutines) == 1 and len(small.coroutines[0].body) == 2 and len(repr(small)) < 160

    @hypothesis.settings(settings, max_examples=20)
    @hypothesis.given(hypothesis.strategies.data())
    def draws(data: hypothesis.strategies.DataObject) -> None:
        coroutine = data.draw(s.coroutines(s.SMALL))
        drive = data.draw(s.drives(coroutine, steps=3))
        assert len(drive.steps) <= 3
        program = s.Program((coroutine,), (drive,))
        assert evaluated(program) == program
        pycoro.Module(s.module([program])).verify()

    draws()


# ---- Unused code ----


def test_unused_code_is_omitted() -> None:
    """Unused allocas, those that only they point to, and unused coroutines are omitted."""
    body = (model.Do("store i32 1, ptr %x1"), model.ReportValue("i32", "%v"))
    variables = (model.Variable("%x1", "i32", "0"), model.Variable("%x12", "i32", "0"), model.Variable("%k3", "ptr", "%x12"))
    used = model.Coroutine("f", body, variables=variables)
    starts = model.Coroutine("g", (model.Child("%c", "f", (), ()),))
    program = s.Program((used, model.Coroutine("h", ()), starts), (model.Drive("g"),))
    kept = without_unused_parts(program)
    assert [coroutine.name for coroutine in kept.coroutines] == ["f", "g"]
    assert [variable.name for variable in kept.coroutines[0].variables] == ["%x1"]
    for seed in range(60):
        small = without_unused_parts(s.sample(seed))
        assert without_unused_parts(small) == small
        pycoro.Module(s.module([small])).verify()


def test_coroutines_that_callers_create_are_used() -> None:
    caller = s.acts.Caller("main", (s.acts.Again(2, (s.acts.Begin(1, "g"),)),))
    starts = model.Coroutine("g", (model.Child("%c", "f", (), ()),))
    program = s.Program((model.Coroutine("f", ()), model.Coroutine("h", ()), starts), callers=(caller,))
    assert [coroutine.name for coroutine in without_unused_parts(program).coroutines] == ["f", "g"]


def test_callers_create_coroutines_of_the_switch_abi() -> None:
    for seed in range(40):
        program = s.sample(seed, s.ALL.but(callers=2))
        assert program.callers and not any(coroutine.returned for coroutine in program.coroutines)
        pycoro.lower(s.module([program])).module.verify()


def test_shrinking_leaves_nothing_unused() -> None:
    seeded = Seeded(73)
    s.draw.program(seeded)

    def adds(choices: Sequence[int]) -> bool:
        return "fadd" in s.module([s.draw.program(Recorded(choices))])

    assert adds(seeded.made)
    small = s.draw.program(Recorded(shrink(seeded.made, adds)))
    assert len(small.coroutines) == 1 and small == without_unused_parts(small)

    hypothesis = pytest.importorskip("hypothesis")
    settings = hypothesis.settings(max_examples=300, database=None, derandomize=True, deadline=None)
    found = hypothesis.find(s.programs(), lambda program: "swifterror" in s.module([program]), settings=settings)
    assert found == without_unused_parts(found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"statments": 3}, "no option 'statments'; did you mean 'statements'"),
        ({"abis": ("swich",)}, "no ABI 'swich'; did you mean 'switch'"),
        ({"callees": ("retcon.onse",)}, "did you mean 'retcon.once'"),
        ({"abis": ()}, "must each name at least one ABI"),
        ({"callers": 1, "callees": ("async",)}, "callers need the ABI switch in Options.abis and Options.callees"),
        ({"faults": ("thrown-finel",)}, "no fault 'thrown-finel'; did you mean 'thrown-final'"),
    ],
)
def test_invalid_options_are_errors(changes: dict[str, object], said: str) -> None:
    with pytest.raises(pycoro.UsageError, match=said):
        s.SMALL.but(**changes)
