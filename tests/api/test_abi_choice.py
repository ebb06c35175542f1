"""Selection of coroutines by an ABI, and rejection of coroutines."""

from __future__ import annotations

import pytest
from test_custom_abi import COUNTER, GENERATOR, Keeps, Loads, Plain, Stop, fails, module, names, pipeline, run_outcome

import pycoro
from pycoro.oracle import for_host

PLAIN = COUNTER.replace(".custom.abi(token %id, ptr %mem, i32 INDEX)", "(token %id, ptr %mem)")


def plain(text: str = PLAIN) -> pycoro.Module:
    return pycoro.Module(for_host(text))


class Named(pycoro.SwitchABI):
    """Applies to coroutines with a given name; spills everything, as a visible effect."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked: list[pycoro.Candidate] = []

    def select(self, coroutine: pycoro.Candidate) -> bool:
        self.asked.append(coroutine)
        return coroutine.name in self.names

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        return False


KEPT = ["flag", "small", "start", "twice"]


def test_select_applies_to_coroutines_without_an_index() -> None:
    selects, leaves = Named("f"), Named("g")
    selected, left = (plain().run(pipeline(abi)) for abi in (selects, leaves))
    assert sorted(names(selected)) == KEPT and sorted(names(left)) != KEPT
    assert run_outcome(selected) == run_outcome(left)
    assert len(selects.asked) == len(leaves.asked) == 1
    assert (
        sorted(field.name for field in plain().preview(pycoro.CoroSplit(abis=[selects]))["f"].frame if field.kind == "spill")
        == KEPT
    )


def test_an_abi_without_select_needs_an_index() -> None:
    assert names(plain().run(pipeline(Keeps()))) == names(plain().run(pipeline()))


def test_the_index_takes_precedence() -> None:
    selects = Named("f")
    report = module(index=1).run(pipeline(selects, Loads()))
    assert names(report) == ["place", "small"] and not selects.asked
    assert names(module(index=0).run(pipeline(selects, Loads()))) == names(module().run(pipeline(Keeps())))


def test_the_report_names_the_abi() -> None:
    selected, left = (plain().run(pipeline(abi)) for abi in (Named("f"), Named("g")))
    chosen, standard = selected.coroutines["f"], left.coroutines["f"]
    assert (chosen.custom_abi, chosen.abi, chosen.to_dict()["custom_abi"]) == ("Named", "switch", "Named")
    assert (standard.custom_abi, standard.abi, standard.to_dict()["custom_abi"]) == (None, "switch", "")
    assert ", by Named" in str(selected) and ", by " not in str(left)
    assert "Named (switch)" in repr(chosen) and "Named on the switch ABI" in str(chosen) and "f: switch ABI" in str(standard)
    explained = plain().preview(pycoro.CoroSplit(abis=[Named("g"), Named("f")]))
    assert explained["f"].custom_abi == "Named" and plain().coroutines["f"].custom_abi is None
    assert "ABI 1 (Named), on switch" in explained.stage_text("f", "select_abi")


def test_arguments_of_select() -> None:
    words = 'noinline memory(argmem: read, inaccessiblemem: readwrite) "made-by"="us" "odd" presplitcoroutine'
    text = PLAIN.replace("presplitcoroutine", words, 1)
    selects = Named()
    plain(text).run(pycoro.Pipeline(pycoro.CoroSplit(abis=[selects])))
    (told,) = selects.asked
    assert (told.name, told.type, told.abi, told.index) == ("f", "ptr (ptr, i8)", "switch", None)
    assert told.id == "%id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)"
    assert (told.promise, told.promise_type) == ("promise", "i64")
    assert told.parameters == (("place", "ptr"), ("small", "i8"))
    assert told.suspends == (("%s", "%entry", False), ("%e", "%more", True))
    assert told.attributes == {
        "noinline": "",
        "presplitcoroutine": "",
        "memory": "argmem: read, inaccessiblemem: readwrite",
        "made-by": "us",
        "odd": "",
    }


def test_unnamed_values_have_numbers() -> None:
    asked = Named()
    text = """
define ptr @"a b"(i32, ptr %named, i64) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %named)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
"""
    pycoro.lower(text, pipeline(asked))
    (told,) = asked.asked
    assert told.name == "a b" and told.parameters == (("0", "i32"), ("named", "ptr"), ("1", "i64"))
    assert told.promise is None and told.promise_type == "" and told.suspends == ()
    assert told.attributes.keys() == {"presplitcoroutine"}


def test_only_abis_of_the_coroutine_s_kind_are_queried() -> None:
    class Returned(pycoro.RetconABI):
        def select(self, coroutine: pycoro.Candidate) -> bool:
            return coroutine.abi == "retcon"

        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            return False

    text = GENERATOR.replace(".custom.abi(token %id, ptr null, i32 INDEX)", "(token %id, ptr null)")
    selects = Named("g", "f")
    report = plain(text).run(pipeline(selects, Returned()))
    assert not selects.asked and sorted(names(report, "g")) == ["a", "small"]


def test_two_abis_for_one_coroutine_are_rejected() -> None:
    class Other(Named):
        pass

    one = plain()
    before = str(one)
    with pytest.raises(pycoro.RejectedError, match=r"ABI 0 \(Named\) and ABI 2 \(Other\)") as caught:
        one.run(pipeline(Named("f"), Plain(), Other("f")))
    (said,) = caught.value.diagnostics
    assert (said.rule, said.function) == ("one-abi", "f") and "custom.abi" in said.hint
    assert str(one) == before
    explained = one.preview(pycoro.CoroSplit(abis=[Named("f"), Named("f")]))
    with pytest.raises(pycoro.RejectedError, match="two ABIs select this coroutine"):
        explained["f"]
    one.run(pipeline(Named("f"), Plain(), Other("g")))


@pytest.mark.parametrize("hook", ["select", "check"])
def test_a_predicate_that_raises_leaves_the_module_unchanged(hook: str) -> None:
    abi = type("Fails", (pycoro.SwitchABI,), {hook: fails})()
    one = module() if hook == "check" else plain()
    before = str(one)
    with pytest.raises(Stop, match="enough"):
        one.run(pipeline(abi))
    with pytest.raises(Stop, match="enough"):
        one.preview(pycoro.CoroSplit(abis=[abi]))["f"]
    assert str(one) == before and one.generation == 0


@pytest.mark.parametrize("answer", [None, 0, "yes"])
def test_a_selection_is_a_bool(answer: object) -> None:
    abi = type("Answers", (pycoro.SwitchABI,), {"select": lambda self, coroutine: answer})()
    with pytest.raises(TypeError, match="Answers.select must return True or False, not ") as caught:
        plain().run(pipeline(abi))
    assert repr(answer) in str(caught.value)


class Refuses(pycoro.SwitchABI):
    """Rejects coroutines with two suspends."""

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def check(self, coroutine: pycoro.Candidate) -> None:
        if len(coroutine.suspends) > 1:
            self.reject(f"it suspends {len(coroutine.suspends)} times", hint="suspend once at the most")


@pytest.mark.parametrize("text", [PLAIN, COUNTER.replace("INDEX", "0")], ids=["selected", "asked for"])
def test_an_abi_rejects_a_coroutine(text: str) -> None:
    one = plain(text)
    before = str(one)
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(Refuses()))
    (said,) = caught.value.diagnostics
    assert said.message == "ABI 0 (Refuses) rejects the coroutine: it suspends 2 times"
    assert (said.rule, said.function, said.hint, said.status) == ("rejected-by-abi", "f", "suspend once at the most", "EREJECTED")
    assert str(one) == before and one.generation == 0
    with pytest.raises(pycoro.RejectedError, match="it suspends 2 times"):
        one.preview(pycoro.CoroSplit(abis=[Refuses()]))["f"]


def test_the_message_may_be_any_text() -> None:
    class Rude(pycoro.SwitchABI):
        def check(self, coroutine: pycoro.Candidate) -> None:
            raise self.reject("nu\0l, \udcff and ünï", "")  # `raise` is harmless: reject() never returns

    with pytest.raises(pycoro.RejectedError, match="ünï") as caught:
        module().run(pipeline(Rude()))
    assert not caught.value.diagnostics[0].hint
    str(caught.value).encode()


@pytest.mark.parametrize("answer", [True, False, "no", ("a", "b")])
def test_a_check_with_a_result_is_an_error(answer: object) -> None:
    abi = type("Answers", (pycoro.SwitchABI,), {"check": lambda self, coroutine: answer})()
    one = module()
    before = str(one)
    with pytest.raises(TypeError, match=r"Answers.check must call self.reject\(...\) or return None, not ") as caught:
        one.run(pipeline(abi))
    assert repr(answer) in str(caught.value) and str(one) == before


def test_a_rejection_of_a_nested_run_propagates() -> None:
    class Nested(pycoro.SwitchABI):
        def check(self, coroutine: pycoro.Candidate) -> None:
            pycoro.lower(module(index=7))

    with pytest.raises(pycoro.RejectedError) as caught:
        module().run(pipeline(Nested()))
    assert caught.value.diagnostics[0].rule == "custom-abi"


def test_llvm_s_rules_come_first() -> None:
    class Never(pycoro.SwitchABI):
        def check(self, coroutine: pycoro.Candidate) -> None:
            raise AssertionError("asked about a coroutine that no ABI of its kind lowers")

    text = COUNTER.replace("INDEX", "0").replace(
        "@llvm.coro.suspend(token none, i1 false)", "@llvm.coro.suspend(token none, i1 true)"
    )
    with pytest.raises(pycoro.RejectedError) as caught:
        plain(text).run(pipeline(Never()))
    assert caught.value.diagnostics[0].rule == "one-final-suspend"
