"""Every argument of the API, given objects of every wrong type: each call raises an error that names the expected type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from samples import COUNTER, PLAIN

import pycoro
from pycoro import explore, fuzz, lint, oracle, reporting, strategies, summary


class Odd:
    """Has a type that no argument accepts."""


WRONG: dict[str, object] = {
    "None": None,
    "a bool": True,
    "an int": 3,
    "a float": 1.5,
    "bytes": b"x",
    "a word": "no",
    "a list": [3],
    "a list of words": ["a\0b"],
    "a mapping": {3: 3},
    "an object": Odd(),
    "a class": Odd,
}
FLAG = ("a bool",)
NAME = ("a word",)
TYPE = ("None", "a word")

BIND = {"print": lambda *_: 0}
RUN: dict[str, Any] = {"ramp": "counter", "args": (3,), "promise": "i32", "reference": "interpreter"}


def engine(**how: Any) -> pycoro.Engine:
    return pycoro.Engine(pycoro.lower(COUNTER, host=True), **{"externals": BIND, **how})


def interpreter(**how: Any) -> pycoro.Interpreter:
    return pycoro.Interpreter(COUNTER, **{"externals": BIND, **how})


def a_field() -> pycoro.FrameField:
    return pycoro.Module(COUNTER).coroutines["counter"].frame["last"]


def keyword(call: Callable[..., object], name: str, *args: Any) -> Callable[[Any], object]:
    return lambda value: call(*args, **{name: value})


def module(method: str, name: str, *args: Any) -> Callable[[Any], object]:
    return lambda value: getattr(pycoro.Module(COUNTER), method)(*args, **{name: value})


def compared(name: str) -> Callable[[Any], object]:
    return lambda value: oracle.compare(COUNTER, ("resume",), **{**RUN, name: value})


def started(make: Callable[[], pycoro.Engine], name: str) -> Callable[[Any], object]:
    return lambda value: make().start("counter", 3, **{name: value})


CALLS: list[tuple[str, Callable[[Any], object], str, tuple[str, ...]]] = [
    ("Module(name)", keyword(pycoro.Module, "name", PLAIN), "name must be a str", ("None", *NAME)),
    ("Module(trusted)", keyword(pycoro.Module, "trusted", PLAIN), "trusted must be True or False", FLAG),
    ("Module(host)", keyword(pycoro.Module, "host", PLAIN), "host must be True or False", FLAG),
    ("Module.parse(name)", keyword(pycoro.Module.parse, "name", PLAIN), "name must be a str", ("None", *NAME)),
    ("Module.run(verify_each)", module("run", "verify_each", "coro-early"), "verify_each must be True or False", FLAG),
    ("Module.run(snapshots)", module("run", "snapshots", "coro-early"), "snapshots must be True or False", FLAG),
    ("Module.run(after_pass)", module("run", "after_pass", "coro-early"), "after_pass must be callable", ("None", "a class")),
    ("lower(host)", keyword(pycoro.lower, "host", PLAIN), "host must be True or False", FLAG),
    ("Pipeline.run(module)", pycoro.Pipeline("coro-early").run, "runs on a pycoro.Module", ()),
    ("functions[]", lambda name: pycoro.Module(PLAIN).functions[name], "expected the name of|no function", ()),
    ("Engine(module)", pycoro.Engine, "takes a lowered Module or a Report", ()),
    ("Engine(externals)", keyword(engine, "externals"), "externals maps names|a name in externals|not defined", ()),
    (
        "Engine(libraries)",
        keyword(engine, "libraries"),
        "libraries is a list|a library is a name|no file can be|invalid file name",
        (),
    ),
    (
        "Engine(deallocators)",
        keyword(engine, "deallocators"),
        "deallocators is a list|a deallocator is the name",
        ("a list of words",),
    ),
    ("Engine(quick)", keyword(engine, "quick"), "quick must be True or False", FLAG),
    ("Engine(trusted)", keyword(engine, "trusted"), "trusted must be True or False", FLAG),
    ("Engine[]", lambda name: engine()[name], "expected the name of a function|no function", ()),
    ("Engine.call(name)", lambda name: engine().call(name), "expected the name of a function|no function", ()),
    ("Engine.start_retcon(name)", lambda name: engine().start_retcon(name), "expected the name of a function|no function", ()),
    ("Engine.start(promise)", started(engine, "promise"), "promise must be its type|not a type", ("None",)),
    ("Engine.start(lazy)", started(engine, "lazy"), "lazy must be True or False", ("None", "a bool")),
    ("Engine.handle()", lambda address: engine().handle(address), "null pointer|no frame|expected an address", ()),
    ("Engine.address()", lambda name: engine().address(name), "a name must be a str|no definition", ()),
    ("Interpreter(externals)", keyword(interpreter, "externals"), "externals maps names|a name in externals", ("None",)),
    ("Interpreter(libraries)", keyword(interpreter, "libraries"), "libraries is a list|a library is a name|invalid file name", ()),
    ("Interpreter(natives)", keyword(interpreter, "natives"), "natives is a mapping|of natives is a callable", ("None",)),
    ("Interpreter(native)", keyword(interpreter, "native"), "native must be True or False", FLAG),
    ("Interpreter(steps)", keyword(interpreter, "steps"), "steps must be", ("an int",)),
    ("Interpreter(depth)", keyword(interpreter, "depth"), "depth must be a number", ("an int",)),
    ("Interpreter.start(promise)", started(interpreter, "promise"), "promise must be its type|not a type", ("None",)),
    ("Interpreter.share()", lambda what: interpreter().share(what), "the size is needed|expected an address|memory at", ()),
    ("Interpreter.share(size)", lambda size: interpreter().share(8, size), "size is|the size is needed", ("an int",)),
    ("compare(ramp)", compared("ramp"), "ramp is the name of a function|no function", ()),
    ("compare(args)", compared("args"), "args is a list|argument 1 of @counter", ("a list",)),
    ("compare(promise)", compared("promise"), "promise must be|not a type", ("None",)),
    ("compare(returns)", compared("returns"), "returns maps|returns must be|a name in returns", ("None",)),
    ("compare(passes)", compared("passes"), "passes must be a pass string|unknown .*pass", ()),
    ("compare(lowering)", compared("lowering"), "lowering must be|unknown .*pass", ("None", "a class")),
    ("compare(reference)", compared("reference"), "a reference is|is not a reference", ()),
    ("compare(allocation)", compared("allocation"), "allocation must be True or False", ("None", "a bool")),
    ("compare(timeout)", compared("timeout"), "timeout must be", ("None", "an int", "a float")),
    ("compare(steps)", compared("steps"), "steps must be", ("None", "an int")),
    (
        "compare_all(schedules)",
        lambda schedules: oracle.Oracle().compare_all(COUNTER, schedules, **RUN),
        "schedules must be sequences|a schedule must be a sequence",
        (),
    ),
    ("compare(schedule)", lambda schedule: oracle.compare(COUNTER, schedule, **RUN), "a schedule must be|a step of a", ()),
    ("compare_cases(cases)", lambda cases: oracle.Oracle().compare_cases(cases), "cases is a list|a case is an oracle.Case", ()),
    ("Case(ir)", oracle.Case, "the IR of a case must be text", NAME),
    ("Case(ramp)", keyword(oracle.Case, "ramp", PLAIN), "ramp is the name of a function", NAME),
    ("Case(args)", keyword(oracle.Case, "args", PLAIN), "args is a tuple", ("a list", "a list of words")),
    ("Case(schedules)", keyword(oracle.Case, "schedules", PLAIN), "schedules must be|a schedule must be", ()),
    ("Oracle(timeout)", keyword(oracle.Oracle, "timeout"), "timeout must be", ("an int", "a float")),
    ("Oracle(trusted)", keyword(oracle.Oracle, "trusted"), "trusted must be True or False", FLAG),
    ("Oracle(opt)", keyword(oracle.Oracle, "opt"), "opt is the name", TYPE),
    ("write_reproducer(case)", partial(oracle.write_reproducer, "/dev/null"), "a case is an oracle.Case", ()),
    (
        "over_growth(changes)",
        lambda changes: reporting.over_growth(changes, reporting.Growth(1, percent=True)),
        "a sequence of Change",
        (),
    ),
    ("Handle(frame)", lambda frame: pycoro.Handle(interpreter(), 8, frame), "Engine.start returns handles", ()),
    ("FieldValue(field)", lambda field: pycoro.FieldValue(field, None, None), "field must be a FrameField", ()),
    ("FieldValue(look)", lambda look: pycoro.FieldValue(a_field(), look, None), "needs a snapshot of a frame", ()),
    ("Report(module)", lambda module: pycoro.Report(module, pycoro.lower(PLAIN)._core), "Module.run returns reports", ()),
    ("Report(core)", lambda core: pycoro.Report(pycoro.Module(PLAIN), core), "Module.run returns reports", ()),
    ("Findings(module)", lambda module: lint.Findings(module, [], lint.lint, {}), "Module.lint returns findings", ()),
    ("Findings(items)", lambda items: lint.Findings(pycoro.Module(PLAIN), items, lint.lint, {}), "pairs of a Finding", ()),
]
PROJECT = reporting.Project.of([])
CALLS += [
    (f"{call.__module__}.{call.__name__}({name})", keyword(call, name, *before), f"{name} must be a {kind}", right)
    for call, name, before, kind, right in (
        (oracle.first_difference, "theirs", (oracle.Run("finished", "", ()),), "Run", ()),
        (oracle.reference, "text", (), "str", NAME),
        (fuzz.run_shard, "shard", (), "Shard", ()),
        (fuzz.prove_shard, "shard", (), "Shard", ()),
        (fuzz.reduce_refuted, "failure", (), "Failure", ()),
        (reporting.compare, "new", (PROJECT,), "Project", ()),
        (reporting.over_budget, "project", (), "Project", ()),
        (reporting.over_growth, "growth", ([],), "Growth", ()),
        (reporting.over_budget, "budgets", (PROJECT,), "sequence of Budget", ()),
        (reporting.changes_csv, "changes", (), "sequence of Change", ()),
        (reporting.changes_json, "changes", (), "sequence of Change", ()),
        (reporting.changes_text, "changes", (), "sequence of Change", ()),
        (reporting.project_csv, "project", (), "Project", ()),
        (reporting.project_json, "project", (), "Project", ()),
        (reporting.project_html, "project", (), "Project", ()),
        (reporting.project_text, "project", (), "Project", ()),
        (strategies.programs, "options", (), "Options", ()),
        (strategies.coroutines, "options", (), "Options", ()),
        (strategies.malformed, "options", (), "Options", ()),
        (strategies.sample, "options", (3,), "Options", ()),
        (lint.lint, "module", (), "Module", ()),
        (summary.summary, "module", (), "Module", ()),
        (explore.model, "module", (), "Module", ()),
    )
]


@pytest.mark.parametrize(("call", "wanted", "right"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_arguments_of_wrong_types_are_errors(call: Callable[[Any], object], wanted: str, right: tuple[str, ...]) -> None:
    for name, value in WRONG.items():
        if name in right:
            continue
        with pytest.raises((TypeError, KeyError, pycoro.Error), match=wanted) as caught:
            call(value)
        assert "Error" not in str(caught.value), name


@pytest.mark.parametrize("resumes", [-1, 1 << 40])
def test_a_schedule_has_a_limit(resumes: int) -> None:
    with pytest.raises(pycoro.UsageError, match="at least 0, not -1|at most 1,000,000 resumes, not 1,099,511,627,776"):
        interpreter().trace("counter", [3], schedule=resumes)


@pytest.mark.parametrize("name", ["triple", "cpu", "features", "relocation_model", "code_model"])
@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_texts_for_the_code_generator_are_ascii(name: str, text: str) -> None:
    with pytest.raises(pycoro.UsageError, match=f"{name} must be ASCII text without null characters"):
        pycoro.Module(PLAIN).emit(**{name: text})


@pytest.mark.parametrize("most", [-1, 1 << 70])
def test_invalid_limits_are_errors(most: int) -> None:
    for name in ("steps", "depth"):
        with pytest.raises(pycoro.UsageError, match=f"{name} must be between 0 and"):
            interpreter(**{name: most})
    for name in ("alignment", "events", "steps", "timeout"):
        with pytest.raises(pycoro.UsageError, match=f"{name} must be "):
            compared(name)(most)
    with pytest.raises((pycoro.Error, OverflowError), match="not an address|an address and a size"):
        interpreter().share(8, most)
