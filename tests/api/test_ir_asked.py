"""The cost of a query about one function does not depend on other functions: a pass that changes and inspects n functions
makes n queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import pycoro
from pycoro import _core


def chain_of_functions(count: int) -> pycoro.Module:
    """Return functions that each call the next."""
    texts = (
        f"define i32 @f{n}(i32 %a) {{\n  %b = call i32 @f{(n + 1) % count}(i32 %a)\n  %c = add i32 %b, 1\n  ret i32 %c\n}}\n"
        for n in range(count)
    )
    return pycoro.Module("".join(texts))


class Asked:
    """Counts the functions that the engine reports."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        listed = _core.ir_functions
        monkeypatch.setattr(_core, "ir_functions", lambda core: self._counted(listed(core)))
        monkeypatch.setattr("pycoro.ir.function.function_description", self._told)

    def _counted(self, functions: list[pycoro.ir.Function]) -> list[pycoro.ir.Function]:
        self.count += len(functions)
        return functions

    def _told(self, core: _core.Module, function: pycoro.ir.Function) -> dict[str, object]:
        self.count += 1
        return core.function(function)


class Changing(pycoro.FunctionPass):
    """Changes each function, then inspects it and its callees."""

    name = "changing"

    def run(self, function: pycoro.ir.Function, module: pycoro.Module) -> None:
        call = function.blocks[0].instructions[0]
        pycoro.ir.Builder(call).add(function.arguments[0], 1)
        assert function.name.startswith("f") and function.type == "i32 (i32)"
        callee = module.functions[call.callee.name]
        assert not callee.is_declaration and not callee.is_coroutine and callee.name in module.functions


def asked(monkeypatch: pytest.MonkeyPatch, count: int, use: Callable[[pycoro.Module], object]) -> int:
    module = chain_of_functions(count)
    with monkeypatch.context() as patch:
        counter = Asked(patch)
        use(module)
    return counter.count


def test_a_pass_over_all_functions_makes_linear_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    few, more = (asked(monkeypatch, count, lambda module: module.run(pycoro.Pipeline(Changing()))) for count in (50, 100))
    assert 50 < few < 50 * 8
    assert more <= 2 * few + 8


class Missing(pycoro.FunctionPass):
    """Looks up a missing name."""

    name = "missing"

    def run(self, function: pycoro.ir.Function, module: pycoro.Module) -> None:
        pycoro.ir.Builder(function.blocks[0].instructions[0]).add(function.arguments[0], 1)
        assert module.functions.get("g") is None and "g" not in module.functions


def test_a_missing_name_does_not_list_all_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, 50, lambda module: module.run(pycoro.Pipeline(Missing()))) <= 50 * 4


def test_a_missing_name_suggests_the_nearest() -> None:
    def wants(module: pycoro.Module) -> None:
        module.functions["f10"]

    with pytest.raises(KeyError, match="no function 'f10'; did you mean 'f1'"):
        chain_of_functions(2).run(pycoro.Pipeline(wants))


def test_iteration_fetches_all_functions_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told = asked(monkeypatch, 50, lambda module: [function.type for function in module.functions.values()])
    assert told == 50


def test_lookup_fetches_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, 50, lambda module: module.functions["f7"].name) == 1


@pytest.mark.parametrize("name", ["g", "f", "", "a\0b", "\udc00", "\ud800", 7, None])
def test_lookup_of_non_functions(name: object) -> None:
    module = chain_of_functions(2)
    functions: object = module.functions
    assert name not in module.functions
    with pytest.raises(KeyError):
        functions[name]  # type: ignore[index]
    assert list(module.functions) == ["f0", "f1"] and name not in module.functions


def test_single_and_bulk_queries_agree() -> None:
    text = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare void @g()
define internal void @marked() presplitcoroutine {
  ret void
}
define void @unmarked(ptr sret({ i32, ptr }) %r) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  ret void
}
define void @plain() {
  ret void
}
"""
    module = pycoro.Module(text)
    alone = [module.functions[name].to_dict() for name in ("llvm.coro.id", "g", "marked", "unmarked", "plain")]
    assert alone == [function.to_dict() for function in pycoro.Module(text).functions.values()]
    assert [told["name"] for told in alone if told["is_coroutine"]] == ["marked", "unmarked"]


def test_a_mapping_that_is_stale_can_be_printed() -> None:
    listed, unlisted = chain_of_functions(2), chain_of_functions(2)
    views = listed.functions, unlisted.functions
    assert repr(views[0]) == "<@f0, @f1>"
    listed.close()
    unlisted.close()
    assert list(map(repr, views)) == ["<stale: @f0, @f1>", "<stale: none>"]
