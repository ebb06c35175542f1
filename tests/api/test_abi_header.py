"""Initial contents of an ABI's header in the frames of a coroutine."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import pycoro
from pycoro import AddressOf

BODY = """
define ptr @NAME(ptr %mem) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %out  i8 1, label %out ]
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
"""
IR = (
    BODY.replace("NAME", "first")
    + BODY.replace("NAME", "second")
    + """
@kind.of.first = constant i64 41
@kind.of.second = constant i64 42
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
"""
)
HEADER = "@of.all = constant i64 40\n@abi.header = constant { i32, i8, ptr, ptr } { i32 7, i8 8, ptr @of.all, ptr null }\n"


def of(hook_module: str | None, answer: Callable[[pycoro.Candidate], object]) -> pycoro.ABI:
    text = hook_module

    class Tagged(pycoro.SwitchABI):
        hook_module = text

        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

        def header(self, coroutine: pycoro.Candidate) -> Mapping[int, int | str | AddressOf]:
            return answer(coroutine)  # type: ignore[return-value]

    return Tagged()


def run(hook_module: str | None, answer: Callable[[pycoro.Candidate], object]) -> pycoro.Report:
    passes = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(hook_module, answer)]), "coro-cleanup")
    return pycoro.Module(IR, host=True).run(passes, verify_each=True)


class Header(ctypes.Structure):
    _fields_ = (("number", ctypes.c_uint32), ("small", ctypes.c_uint8), ("kind", ctypes.c_void_p), ("name", ctypes.c_char_p))


def headers(report: pycoro.Report) -> dict[str, tuple[int, int, int | None, bytes | None]]:
    found: dict[str, tuple[int, int, int | None, bytes | None]] = {}
    with pycoro.Engine(report) as engine:
        for name in ("first", "second"):
            (field,) = [field for field in report.coroutines[name].frame if field.kind == "header"]
            memory = ctypes.create_string_buffer(report.coroutines[name].frame.size + 16)
            frame = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(engine.address(name))(ctypes.addressof(memory))
            it = Header.from_address(frame + field.offset)
            kind = ctypes.c_int64.from_address(it.kind).value if it.kind else None
            found[name] = it.number, it.small, kind, it.name
    return found


def test_each_coroutine_has_a_separate_header() -> None:
    def answer(coroutine: pycoro.Candidate) -> Mapping[int, int | str | AddressOf]:
        if coroutine.name == "second":
            return {}
        return {0: 2**32 - 1, 1: -2, 2: AddressOf(f"kind.of.{coroutine.name}"), 3: f"{coroutine.name}: größer"}

    assert headers(run(HEADER, answer)) == {
        "first": (2**32 - 1, 254, 41, "first: größer".encode()),
        "second": (7, 8, 40, None),
    }


def test_header_elements_may_name_hook_module_functions() -> None:
    hook_module = "@own = global i64 99\n" + HEADER
    assert headers(run(hook_module, lambda coroutine: {2: AddressOf("own")}))["first"] == (7, 8, 99, None)


def test_a_scalar_header() -> None:
    report = run("@abi.header = global i64 5", lambda coroutine: {0: len(coroutine.name)})
    assert "store i64 5" in str(report.module) and "store i64 6, ptr" in str(report.module)


WRONG: dict[str, tuple[object, str]] = {
    "no-such-element": ({4: 1}, "element 4 of its header holds, but its abi.header has no such element"),
    "too-wide": ({1: 256}, "too narrow"),
    "too-negative": ({1: -129}, "too narrow"),
    "number-for-pointer": ({2: 1}, "a number, but the element is no integer"),
    "text-for-number": ({0: "text"}, "an address, but the element is no `ptr`"),
    "unknown-name": ({2: AddressOf("nobody")}, "the address of @nobody, which neither"),
    "declared": ({2: AddressOf("only.declared")}, "the address of @only.declared, which neither"),
    "local": ({2: AddressOf("hidden")}, "the address of @hidden, which neither"),
}


@pytest.mark.parametrize("answer, said", WRONG.values(), ids=WRONG)
def test_values_that_do_not_fit_are_errors(answer: object, said: str) -> None:
    hook_module = HEADER + "@only.declared = external global i8\n@hidden = internal global i8 0\n"
    with pytest.raises(pycoro.RejectedError) as caught:
        run(hook_module, lambda coroutine: answer)
    (told,) = caught.value.diagnostics
    assert said in told.message and "ABI 0 (Tagged)" in told.message and told.rule == "header-value" and told.function == "first"


@pytest.mark.parametrize("hook_module", [None, "define void @abi.begin(ptr %f) {\n ret void\n}"])
def test_an_abi_without_a_header(hook_module: str | None) -> None:
    with pytest.raises(pycoro.RejectedError, match="has no abi.header"):
        run(hook_module, lambda coroutine: {0: 1})


@pytest.mark.parametrize(
    "answer, error, said",
    [
        (None, TypeError, "Tagged.header must return a dict from element index to value"),
        ([1], TypeError, "Tagged.header must return a dict from element index to value"),
        ({"0": 1}, TypeError, "Tagged.header: the index of a header element must be an int from 0, not '0'"),
        ({-1: 1}, TypeError, "an int from 0, not -1"),
        ({True: 1}, TypeError, "an int from 0, not True"),
        ({0: 1.5}, TypeError, "element 0 must be an int, a str or an AddressOf, not 1.5"),
        ({0: True}, TypeError, "element 0 must be an int, a str or an AddressOf, not True"),
        ({0: 2**64}, ValueError, "does not fit in 64 bits"),
        ({3: "a\0b"}, ValueError, "contains a NUL"),
    ],
)
def test_invalid_results_are_errors(answer: object, error: type[Exception], said: str) -> None:
    module = pycoro.Module(IR, host=True)
    before = str(module)
    with pytest.raises(error, match=said):
        module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(HEADER, lambda coroutine: answer)])))
    assert str(module) == before


def test_exceptions_propagate() -> None:
    def fails(coroutine: pycoro.Candidate) -> object:
        raise LookupError(coroutine.name)

    with pytest.raises(LookupError, match="first"):
        run(HEADER, fails)


def test_a_long_header_does_not_deadlock_on_the_gil() -> None:
    """A long header is copied while Python runs: the engine's signal check must not wait for the GIL that its own thread
    holds."""
    program = f"""
import time

import pycoro


class Slow(pycoro.SwitchABI):
    hook_module = {HEADER!r}

    def select(self, coroutine):
        return True

    def header(self, coroutine):
        time.sleep(0.03)
        return {{3: "n" * 20_000}}


pycoro.Module({IR!r}, host=True).run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Slow()])))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_texts_in_an_address_space_of_globals() -> None:
    """A hook is passed the coroutine's name by a pointer of the default address space."""
    text = (Path(__file__).parents[1] / "ir" / "switch" / "globals-address-space.ll").read_text()
    layout = next(line for line in text.splitlines() if line.startswith("target datalayout"))

    class Named(pycoro.SwitchABI):
        hook_module = f"""{layout}
        declare void @noted(ptr)
        define void @abi.begin(ptr %frame, ptr %header, ptr %name) {{
          call void @noted(ptr %name)
          ret void
        }}
        """

        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

    module = pycoro.Module(text)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Named()])), check=True)
    assert set(report.proof.values()) == {"proved"}
    assert "@noted(ptr addrspacecast (ptr addrspace(1) @f.name to ptr))" in str(module)
