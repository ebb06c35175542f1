"""Custom passes: their arguments, allowed changes, and every possible error."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from samples import COUNTER

import pycoro
from pycoro import CoroCleanup, CoroEarly, CoroSplit, Pipeline
from pycoro.ir import Builder

HEAD, _, BODY = COUNTER.partition("\n; Prints")
OUTER = BODY[BODY.index("define") :].replace("@counter(", "@outer(").replace("entry:\n", "entry:\n  call ptr @counter(i32 1)\n")
BOTH = f"{HEAD}\n{OUTER}\n; Prints{BODY}"
"""A coroutine that calls the next one."""


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("pycoro.registry._known", {})
    yield


class Look(pycoro.FunctionPass):
    """Inspects without changes."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
        assert module.functions[function.name] == function
        self.seen.append(function.name)


class Frames(pycoro.CoroutinePass):
    def __init__(self) -> None:
        self.seen: list[tuple[str, int, bool]] = []

    def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
        whole = module.functions["counter"].is_presplit
        self.seen.append((coroutine.name, coroutine.frame.size, whole))


@dataclass
class Deep(pycoro.ModulePass):
    """Has every kind of parameter."""

    depth: int = 1
    near_by: bool = False
    kind: Literal["wide", "flat"] = "wide"
    ratio: float = 0.5
    label: str | None = None

    def run(self, module: pycoro.Module) -> None: ...


def run_error(module: pycoro.Module, passes: Any, error: type[BaseException], match: str | None = None) -> BaseException:
    """Return the exception of a run, after which the module must be unchanged."""
    before, generation = str(module), module.generation
    with pytest.raises(error, match=match) as caught:
        module.run(passes)
    assert (str(module), module.generation) == (before, generation)
    module.verify()
    return caught.value


# ---- Arguments of a pass ----


def test_a_callable_is_a_pass() -> None:
    seen = []
    module = pycoro.Module(BOTH)

    def look(given: pycoro.Module) -> None:
        seen.append([f.name for f in given.functions.values() if f.is_presplit])

    report = Pipeline(CoroEarly(), look, CoroSplit(), CoroCleanup()).run(module)
    assert seen == [["outer", "counter"]]
    assert [(run.name, run.target, run.is_pycoro) for run in report.steps if run.name == "look"] == [("look", "[module]", False)]
    assert str(Pipeline(look, "globaldce")) == "look,globaldce"
    assert module.run(look).steps[0].name == "look"
    assert Pipeline(look) == Pipeline(partial(look)) != Pipeline(print)


def test_a_function_pass_sees_functions_in_their_order() -> None:
    look = Look()
    assert str(Pipeline(look)) == "function(look)"
    pycoro.Module(BOTH).run(look)
    assert look.seen == ["outer", "counter"]


def test_a_coroutine_pass_sees_callees_first() -> None:
    apart = Frames()
    pycoro.Module(BOTH).run([CoroEarly(), apart, CoroSplit()])
    assert [(name, whole) for name, _, whole in apart.seen] == [("counter", True), ("outer", True)]
    assert all(size > 16 for _, size, _ in apart.seen)


def test_a_coroutine_pass_joins_the_group_of_coro_split() -> None:
    frames: list[Frames] = []

    @pycoro.register_pass
    class Joined(Frames):
        def __init__(self) -> None:
            super().__init__()
            frames.append(self)

    pycoro.Module(BOTH).run("coro-early,cgscc(joined,coro-split)")
    assert [(name, whole) for name, _, whole in frames[0].seen] == [("counter", True), ("outer", False)]


def test_accessing_the_frame_lays_it_out() -> None:
    seen = []

    class Names(pycoro.CoroutinePass):
        def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
            seen.append(coroutine.name)
            assert not hasattr(coroutine, "nonsense")

    final = "  %e = call i8 @llvm.coro.suspend(token none, i1 true)\n"
    module = pycoro.Module(BOTH.replace(final, final + final.replace("%e", "%e2")))
    module.run(Names())
    assert seen == ["counter", "outer"]
    run_error(module, Frames(), pycoro.RejectedError)


def test_frames_in_a_pass_use_the_pipeline_s_abis() -> None:
    asked = []

    class Backwards(pycoro.SwitchABI):
        def select(self, coroutine: pycoro.Candidate) -> bool:
            asked.append(coroutine.name)
            return False

    module = pycoro.Module(BOTH)
    frames = Frames()
    module.run(Pipeline(CoroEarly(), frames))
    assert asked == []
    module.run(Pipeline(frames, CoroSplit(abis=[Backwards()])))
    assert asked == ["counter", "outer", "counter", "outer"]


def test_custom_passes_are_in_the_report() -> None:
    class Count(pycoro.FunctionPass):
        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            self.remark("one more", function)
            self.remark("refused", "outer", name="No", passed=False)

    report = pycoro.Module(BOTH).run(Count())
    told = [(r.pass_name, r.name, r.function, r.message, r.passed) for r in report.remarks]
    assert told[:2] == [("count", "Count", "outer", "one more", True), ("count", "No", "outer", "refused", False)]
    assert len(told) == 4
    with pytest.raises(pycoro.UsageError, match="is not running"):
        Count().remark("too late")


# ---- Changes by a pass ----


def test_a_pass_runs_other_pipelines() -> None:
    seen = []

    def inside(module: pycoro.Module) -> None:
        generation = module.generation
        inner = module.run("coro-early,coro-split")
        seen.append(sorted(inner.coroutines))
        assert module.generation > generation
        functions = module.functions
        module.run("coro-cleanup")
        assert functions.is_stale

    module, other = pycoro.Module(BOTH), pycoro.Module(BOTH)
    report = module.run([inside, "globaldce"])
    other.run("coro-early,coro-split,coro-cleanup,globaldce")
    assert seen == [["counter", "outer"]]
    assert str(module) == str(other)
    assert [run.name for run in report.steps] == ["inside", "globaldce"]


def test_a_pass_may_keep_a_copy_of_the_module() -> None:
    copies = []

    def trial(module: pycoro.Module) -> None:
        copy = module.copy()
        copy.run("coro-early,coro-split,coro-cleanup")
        copies.append(copy)

    module = pycoro.Module(BOTH)
    before = str(module)
    module.run(trial)
    assert str(module) == before
    assert "resume" in str(copies[0])
    copies[0].close()


def test_each_function_pass_may_change_the_module() -> None:
    class Alone(pycoro.FunctionPass):
        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            module.run("internalize<preserve-gv=counter>,globaldce")

    seen = []

    class See(pycoro.FunctionPass):
        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            seen.append(function.name)

    module = pycoro.Module(BOTH)
    report = module.run([Alone(), See()])
    assert [(run.name, run.target) for run in report.steps] == [("alone", "outer"), ("alone", "counter"), ("see", "[module]")]
    assert list(module.functions)[-1] == "counter"
    assert seen == ["counter"]


def test_nested_passes() -> None:
    seen: list[int] = []

    def nest(module: pycoro.Module, depth: int = 3) -> None:
        seen.append(depth)
        if depth:
            module.run(Pipeline(partial(nest, depth=depth - 1)))

    pycoro.Module(BOTH).run(nest)
    assert seen == [3, 2, 1, 0]


def test_a_pass_cannot_use_the_module_after_the_run() -> None:
    kept: list[Any] = []

    def keep(module: pycoro.Module) -> None:
        kept.extend((module, module.functions["outer"], module.coroutines))

    pycoro.Module(BOTH).run(keep)
    module, function, coroutines = kept
    assert module.is_closed and function.is_stale and coroutines.is_stale
    for use in (lambda: str(module), lambda: module.run("globaldce"), lambda: function.name, lambda: list(coroutines), module.copy):
        with pytest.raises(pycoro.ClosedError):
            use()
    module.close()


def test_a_pass_rejects() -> None:
    class Small(pycoro.CoroutinePass):
        def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
            if coroutine.frame.size > 16:
                self.reject("the frame is too large", coroutine, hint="keep less")

    error = run_error(pycoro.Module(BOTH), [CoroEarly(), Small(), CoroSplit()], pycoro.RejectedError, "too large")
    assert isinstance(error, pycoro.RejectedError)
    (said,) = error.diagnostics
    assert (said.function, said.hint, said.rule, said.status) == ("counter", "keep less", "small", "EREJECTED")
    with pytest.raises(TypeError, match="a location must be"):
        Small().reject("no", 3)


def test_a_pass_rejects_at_an_instruction() -> None:
    class Calls(pycoro.FunctionPass):
        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            for instruction in function.walk():
                if instruction.opcode == "call" and "@malloc" in str(instruction):
                    self.remark("the block", instruction.block)
                    self.reject("it allocates", instruction)

    error = run_error(pycoro.Module(BOTH), Calls(), pycoro.RejectedError)
    assert isinstance(error, pycoro.RejectedError)
    (said,) = error.diagnostics
    assert (said.function, said.block) == ("outer", "%allocate")
    assert said.instruction == "%memory = call ptr @malloc(i64 %size)"


# ---- Errors in a pass ----


class Own(Exception):
    pass


@pytest.mark.parametrize("kind", [Own, KeyboardInterrupt, SystemExit, MemoryError, pycoro.UsageError])
def test_exceptions_of_a_pass_propagate(kind: type[BaseException]) -> None:
    error = kind("mine")

    def fail(module: pycoro.Module) -> None:
        module.run("coro-early,coro-split")
        raise error

    assert run_error(pycoro.Module(BOTH), ["globaldce", fail, "coro-cleanup"], kind) is error
    error.__traceback__ = None  # which holds the pass's module


@pytest.mark.parametrize("behind", [[], ["globaldce"], [CoroEarly(), CoroSplit(), CoroCleanup()]])
def test_a_pass_that_leaves_invalid_ir_is_named(behind: list[Any]) -> None:
    def breaks(module: pycoro.Module) -> None:
        Builder(module).add_block("lost", function=module.functions["counter"])  # without a terminator

    error = run_error(pycoro.Module(BOTH), [breaks, *behind], pycoro.VerifyError, "breaks")
    assert isinstance(error, pycoro.VerifyError)
    assert error.diagnostics[0].function == "counter"


def test_a_pass_may_catch_the_failure_of_a_nested_run() -> None:
    caught = []

    def careful(module: pycoro.Module) -> None:
        before = str(module)
        try:
            module.run("no-such-pass")
        except pycoro.PipelineError as error:
            caught.append(error)
        assert str(module) == before

    module = pycoro.Module(BOTH)
    module.run([careful, "coro-early,coro-split,coro-cleanup"])
    assert len(caught) == 1 and "outer.resume" in module.functions

    def careless(module: pycoro.Module) -> None:
        module.run("no-such-pass")

    run_error(pycoro.Module(BOTH), careless, pycoro.PipelineError, "no-such-pass")


@pytest.mark.parametrize("nonsense", [3, "text", pycoro.Pipeline(), [], False])
def test_a_pass_with_a_result_is_an_error(nonsense: Any) -> None:
    run_error(pycoro.Module(BOTH), lambda module: nonsense, TypeError, "pass lambda must .* return None, not")


def test_a_pass_may_be_interrupted() -> None:
    def again(module: pycoro.Module) -> None:
        module.run(Pipeline(again))

    run_error(pycoro.Module(BOTH), again, pycoro.UsageError, "more than 64 levels deep")

    def on_copies(module: pycoro.Module) -> None:
        module.copy().run(Pipeline(on_copies))

    run_error(pycoro.Module(BOTH), on_copies, RecursionError)


def test_a_pass_cannot_close_its_module() -> None:
    run_error(pycoro.Module(BOTH), lambda module: module.close(), pycoro.UsageError, "a pass cannot close its module")

    def engine(module: pycoro.Module) -> None:
        with module:
            pass

    run_error(pycoro.Module(BOTH), engine, pycoro.UsageError, "a pass cannot close its module")


def test_the_module_is_busy_during_its_run() -> None:
    module = pycoro.Module(BOTH)
    run_error(module, lambda _: module.run("globaldce"), pycoro.BusyError)


def test_another_thread_may_not_use_a_lent_module() -> None:
    raised: list[BaseException] = []

    def use(module: pycoro.Module) -> None:
        try:
            str(module)
        except pycoro.BusyError as error:
            raised.append(error)

    def hand_over(module: pycoro.Module) -> None:
        thread = threading.Thread(target=use, args=(module,))
        thread.start()
        thread.join()
        str(module)

    pycoro.Module(BOTH).run(hand_over)
    assert "another thread" in str(raised[0])


def test_one_pass_object_in_many_threads() -> None:
    look = Look()
    pipeline = Pipeline(CoroEarly(), look, CoroSplit(), look, CoroCleanup())
    threads = [threading.Thread(target=lambda: pycoro.Module(BOTH).run(pipeline)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert look.seen.count("outer") == 8


# ---- Names and parameters ----


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (Deep(), "deep"),
        (Deep(depth=3), "deep<depth=3>"),
        (Deep(3, True, "flat", 1.5, "x"), "deep<depth=3;near-by;kind=flat;ratio=1.5;label=x>"),
        (Deep(-1), "deep<depth=-1>"),
    ],
)
def test_parameters_round_trip_through_text(item: Deep, text: str) -> None:
    pycoro.register_pass(Deep)
    pipeline = Pipeline(item)
    assert str(pipeline) == text
    assert Pipeline(text) == pipeline
    assert Pipeline(text).own_passes == {text: item}
    pycoro.Module(BOTH).run(text)


def test_parameters_of_a_function() -> None:
    seen = []

    @pycoro.register_pass
    def my_pass(module: pycoro.Module, depth: int = 1, *, loud: bool = True) -> None:
        seen.append((depth, loud))

    module = pycoro.Module(BOTH)
    module.run("my-pass,my-pass<depth=0x10;no-loud>,my-pass<loud=false>")
    module.run(partial(my_pass, depth=2))
    assert seen == [(1, True), (16, False), (1, False), (2, True)]
    assert str(Pipeline(partial(my_pass, depth=2))) == "my-pass<depth=2>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deep<deth=3>", "deep has no parameter 'deth'; did you mean 'depth'"),
        ("deep<depth=x>", "deep takes depth=NUMBER, not 'depth=x'"),
        ("deep<depth>", "deep takes depth=NUMBER, not 'depth'"),
        ("deep<no-depth>", "deep takes depth=NUMBER, not 'no-depth'"),
        ("deep<near-by=3>", "deep takes near-by or no-near-by"),
        ("deep<kind=narrow>", "deep takes kind=wide or kind=flat, not 'kind=narrow'"),
        ("deep<depth=3;depth=4>", "deep: parameter depth appears twice"),
        ("deep<depth=3", "'deep<depth=3': its parameters are not closed"),
        ("deep(sroa)", "'deep' is a pass and cannot contain others"),
        ("function(deep)", "'deep' is a module pass and cannot be used in"),
        ("needy", "needy needs count: needy<count=...>"),
        ("coro-early,needy<count=1;x>", "needy has no parameter 'x'; there is 'count'"),
        ("fussy<count=-1>", "count must be positive"),
    ],
)
def test_invalid_parameters_are_errors(text: str, said: str) -> None:
    @pycoro.register_pass
    def needy(module: pycoro.Module, count: int) -> None: ...

    class Fussy(pycoro.ModulePass):
        def __init__(self, count: int = 1) -> None:
            if count < 0:
                raise ValueError("count must be positive")

        def run(self, module: pycoro.Module) -> None: ...

    pycoro.register_pass(Fussy)
    pycoro.register_pass(Deep)
    for ask in (Pipeline, pycoro.Module(BOTH).run):
        with pytest.raises(pycoro.PipelineError) as caught:
            ask(text)
        assert said in str(caught.value)
        assert "character" in str(caught.value)


def test_an_unknown_pass_name_is_an_error() -> None:
    pycoro.register_pass(Deep)
    run_error(pycoro.Module(BOTH), "coro-early,dep", pycoro.PipelineError, "did you mean deep")
    pycoro.unregister_pass("deep")
    run_error(pycoro.Module(BOTH), "deep", pycoro.PipelineError, "unknown")
    with pytest.raises(KeyError):
        pycoro.unregister_pass("deep")


def test_duplicate_pass_names_are_errors() -> None:
    class Look(pycoro.ModulePass):
        def run(self, module: pycoro.Module) -> None: ...

    mine = globals()["Look"]()
    with pytest.raises(pycoro.UsageError, match="two different passes have the text look"):
        Pipeline(Look(), mine)
    with pytest.raises(pycoro.UsageError, match="two different passes have the text look"):
        Pipeline(mine, globals()["Look"]())
    assert len(Pipeline(mine, mine).own_passes) == 1
    Pipeline(Deep(1), Deep(1), Deep(2))
    pycoro.register_pass(Look)
    pycoro.register_pass(Look)
    with pytest.raises(pycoro.UsageError, match="already registered"):
        pycoro.register_pass(type(mine))
    assert pycoro.register_pass(type(mine), name="other") is type(mine)
    assert Pipeline("other").own_passes.keys() == {"other"}


@pytest.mark.parametrize("name", ["instcombine", "coro-split", "function", "licm", "globaldce", "loop-mssa", "codegenprepare"])
def test_builtin_names_cannot_be_registered(name: str) -> None:
    with pytest.raises(pycoro.UsageError, match="is a pass of LLVM or pycoro"):
        pycoro.register_pass(Deep, name=name)
    if name == "coro-split":
        with pytest.raises(pycoro.UsageError, match="'coro-split' is the name of one of pycoro's passes"):
            Pipeline(type("Mine", (Look,), {"name": name})())


@pytest.mark.parametrize("name", ["default<O2>", "a b", " ", "3", "a,b", "a\0", "\udcff", "name="])
def test_names_invalid_in_pass_strings_are_rejected(name: str) -> None:
    with pytest.raises(pycoro.UsageError, match="invalid name"):
        pycoro.register_pass(Deep, name=name)
    with pytest.raises(pycoro.UsageError, match="invalid name"):
        type("Mine", (Look,), {"name": name})


@pytest.mark.parametrize("thing", [3, "coro-early", None, int, CoroEarly, CoroEarly(), Deep()])
def test_non_passes_cannot_be_registered(thing: Any) -> None:
    for name in ("", "given"):
        with pytest.raises(TypeError):
            pycoro.register_pass(thing, name=name)


@pytest.mark.parametrize("thing", [3, None, Deep, pycoro.FunctionPass, b"coro-early"])
def test_non_passes_are_rejected_by_pipelines(thing: Any) -> None:
    with pytest.raises(TypeError):
        Pipeline(thing)


def test_a_pass_class_without_run_is_abstract() -> None:
    class Nothing(pycoro.ModulePass):
        pass

    with pytest.raises(TypeError, match="run"):
        Nothing()  # type: ignore[abstract]

    class Neither(pycoro.PythonPass):
        pass

    with pytest.raises(TypeError, match="must derive from"):
        pycoro.Module(BOTH).run(Neither())


# ---- Passes and ABIs of packages ----

BROUGHT = """
import pycoro

class Brought(pycoro.FunctionPass):
    def __init__(self, depth: int = 1):
        self.depth = depth

    def run(self, function, module):
        self.remark(f"depth {self.depth}", function)

class Arena(pycoro.SwitchABI):
    def order(self, fields):
        return reversed(fields)

raise_nothing = 3
"""

ENTRIES = """[pycoro.passes]
brought = brought_by_a_package:Brought
broken = brought_by_a_package:missing
nonsense = brought_by_a_package:raise_nothing
adce = brought_by_a_package:Brought

[pycoro.abis]
arena-of-package = brought_by_a_package:Arena
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("pycoro.registry._abis", {})
    (tmp_path / "brought_by_a_package.py").write_text(BROUGHT)
    info = tmp_path / "brought-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("brought_by_a_package", None)


def test_packages_provide_passes(package: None) -> None:
    module = pycoro.Module(BOTH)
    module.run("coro-early,function(adce)")  # the name still means LLVM's pass
    assert "brought_by_a_package" not in sys.modules
    report = module.run("function(brought<depth=4>)")
    assert [remark.message for remark in report.remarks] == ["depth 4", "depth 4"]
    assert str(Pipeline("brought")) == "function(brought)"
    with pytest.raises(pycoro.PipelineError, match="no parameter 'width'"):
        Pipeline("brought<width=3>")
    with pytest.raises(AttributeError, match="missing"):
        module.run("broken")
    with pytest.raises(TypeError, match="a class or a callable"):
        module.run("nonsense")
    with pytest.raises(pycoro.PipelineError, match="unknown"):
        module.run("brougt")


def test_packages_provide_abis(package: None) -> None:
    assert "brought_by_a_package" not in sys.modules
    split = CoroSplit(abis=["arena-of-package"])
    assert type(split.abis[0]).__name__ == "Arena"
    pycoro.Module(BOTH).run([CoroEarly(), split, CoroCleanup()])
    with pytest.raises(pycoro.UsageError, match="no ABI 'arena-of-pakage'; did you mean 'arena-of-package'"):
        CoroSplit(abis=["arena-of-pakage"])

    class Mine(pycoro.SwitchABI):
        pass

    mine = Mine()
    assert pycoro.register_abi(mine, name="mine") is mine
    assert CoroSplit(abis=["mine", mine]).abis == (mine, mine)
    with pytest.raises(pycoro.UsageError, match="already registered"):
        pycoro.register_abi(type(split.abis[0]), name="mine")
    pycoro.unregister_abi("mine")
    for nonsense in (3, Look, "mine"):
        with pytest.raises(TypeError):
            pycoro.register_abi(nonsense)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="a list of ABIs"):
        CoroSplit(abis="mine")


def test_importing_pycoro_loads_no_entry_points() -> None:
    asked = "import sys, pycoro; pycoro.Pipeline('coro-early,globaldce'); sys.exit('importlib.metadata' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


# ---- Replacing a module's IR ----


def test_a_pass_may_replace_the_ir_of_the_module() -> None:
    def by_text(module: pycoro.Module) -> None:
        function = module.functions["counter"]
        module.replace(str(module).replace("@counter(", "@other("))
        assert function.is_stale and "other" in module.functions
        for bad, error in (("define", pycoro.ParseError), ("define i32 @f() {\n  ret i32 %x\n}", pycoro.Error)):
            before = str(module)
            with pytest.raises(error):
                module.replace(bad)
            assert str(module) == before

    module = pycoro.Module(BOTH)
    report = module.run([by_text, "coro-early,coro-split,coro-cleanup"])
    assert "other.resume" in module.functions
    assert report.steps[0].changed is not False
    module.replace(pycoro.Module(COUNTER).bitcode(), trusted=True)
    assert str(module).replace("<string>", "") == str(pycoro.Module(COUNTER)).replace("<string>", "")
    with pytest.raises(TypeError):
        module.replace(None)
    module.close()
    with pytest.raises(pycoro.ClosedError):
        module.replace(COUNTER)
