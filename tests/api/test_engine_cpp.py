"""C++ in an engine: exceptions, symbols that code generation adds, and missing symbols by their source names."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

import pycoro

CLANG = shutil.which("clang++-22")
GENERATOR = pathlib.Path(__file__).parents[2] / "docs" / "examples" / "generator.cpp"
THROWS = """
struct Guard { Guard(); ~Guard(); };
void note(const char *text, int number) noexcept;
int thrower(int n) {
  Guard guard;
  if (n > 3) throw n;
  return n;
}
extern "C" int catcher(int n) {
  try {
    Guard guard;
    return thrower(n);
  } catch (int caught) {
    return -caught;
  }
}
"""
LIBRARIES = ["libstdc++.so.6"]

pytestmark = pytest.mark.skipif(CLANG is None, reason="there is no clang++-22")


def compiled(source: str, level: str = "-O0") -> pycoro.Report:
    assert CLANG
    options = ["-std=c++20", level, "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-x", "c++", "-"]
    return pycoro.lower(subprocess.run([CLANG, *options], input=source, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_generator_of_cpp(level: str, quick: bool) -> None:
    report = compiled(GENERATOR.read_text(), level)
    with pycoro.Engine(report, libraries=LIBRARIES, quick=quick) as engine, engine["_Z8trianglei"](5) as handle:
        assert [value for (value,) in handle] == [1, 3, 6, 10, 15]


def test_a_generator_that_does_not_suspend_at_first() -> None:
    """It stops at its first co_yield, and the frame says so."""
    report = compiled(GENERATOR.read_text().replace("suspend_always initial_suspend", "suspend_never initial_suspend"))
    assert [point.is_first_value for point in report.coroutines["_Z8trianglei"].suspends] == [False, True, False]
    with pycoro.Engine(report, libraries=LIBRARIES) as engine:
        for rows in (0, 1, 4):
            with engine["_Z8trianglei"](rows) as handle:
                assert [value for (value,) in handle] == [1, 3, 6, 10][:rows]


def test_an_exception_is_thrown_and_caught_and_cleans_up() -> None:
    made: list[str] = []
    externals = {
        "_ZN5GuardC1Ev": lambda _: made.append("made"),
        "_ZN5GuardD1Ev": lambda _: made.append("gone"),
    }
    with pycoro.Engine(compiled(THROWS), externals=externals, libraries=LIBRARIES) as engine:
        assert (engine.call("catcher", 2), engine.call("catcher", 7)) == (2, -7)
    assert made == ["made", "made", "gone", "gone"] * 2


def test_a_coroutine_that_ends_by_an_exception_of_its_body() -> None:
    source = GENERATOR.read_text().replace("co_yield sum;", "if (row > 2) throw row; co_yield sum;")
    source = source.replace("void unhandled_exception() noexcept {}", "void unhandled_exception() { value = -1; }")
    with pycoro.Engine(compiled(source), libraries=LIBRARIES) as engine, engine["_Z8trianglei"](5) as handle:
        assert [value for (value,) in handle] == [1, 3] and handle.done and handle.promise == (-1,)


def test_a_generator_that_is_returned_by_sret() -> None:
    source = GENERATOR.read_text().replace(
        "std::coroutine_handle<promise_type> handle;\n};",
        "long before = 1; std::coroutine_handle<promise_type> handle; long after = 2;\n};",
    )
    source = source.replace(
        "return {std::coroutine_handle<promise_type>::from_promise(*this)}",
        """Generator made;
      made.handle = std::coroutine_handle<promise_type>::from_promise(*this);
      return made""",
    )
    report = compiled(source)
    assert report.module.functions["_Z8trianglei"].type == "void (ptr, i32)"
    with pycoro.Engine(report, libraries=LIBRARIES) as engine, engine["_Z8trianglei"](4) as handle:
        assert [value for (value,) in handle] == [1, 3, 6, 10]


AWAITS = """
#include <coroutine>
extern "C" void begin(void *handle) noexcept;
extern "C" void show() noexcept;
struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    INITIAL initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
struct operation {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { begin(handle.address()); }
  void await_resume() {}
};
task waits(int n) {
  for (int i = 0; i < n; i++) {
    show();
    co_await operation{};
  }
  show();
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("initial", ["std::suspend_always", "std::suspend_never"])
def test_a_coroutine_is_resumed_inside_its_await_suspend(level: str, initial: str) -> None:
    """A loop saves one suspend repeatedly; where the suspend is not saved, the coroutine is running."""
    shown: list[int] = []
    begun: list[int] = []

    def show() -> None:
        shown.append(len(begun))
        for address in begun[-1:]:
            for use in (engine.handle(address).resume, engine.handle(address).destroy):
                with pytest.raises(pycoro.LifecycleError, match="is running"):
                    use()

    def begin(address: int) -> None:
        begun.append(address)
        engine.handle(address).resume()

    report = compiled(AWAITS.replace("INITIAL", initial), level)
    with pycoro.Engine(report, libraries=LIBRARIES, externals={"show": show, "begin": begin}) as engine:
        for count in (0, 1, 7):
            shown.clear()
            begun.clear()
            with engine["_Z5waitsi"](count) as handle:
                assert initial.endswith("never") or not handle.resume()
                assert handle.done and (len(shown), len(begun)) == (count + 1, count)


COPIES = """
#include <memory>
#include <string>
extern "C" int total(int n) {
  std::string text;
  for (int i = 0; i < n; i++)
    text += "ab";
  std::allocator<char> all;
  using traits = std::allocator_traits<std::allocator<char>>;
  traits::deallocate(all, traits::allocate(all, 8), 8);
  return (int)text.size();
}
"""


def test_linkonce_and_available_externally_definitions() -> None:
    """Definitions of std::allocator<char> are linkonce_odr; libstdc++ exports no copy."""
    report = compiled(COPIES, "-O1")
    assert "available_externally" in str(report.module)
    with pycoro.Engine(report, libraries=LIBRARIES) as engine:
        assert engine.call("total", 50) == 100


def test_missing_symbols_have_source_names() -> None:
    with pytest.raises(pycoro.JitError) as caught:
        pycoro.Engine(compiled(THROWS), libraries=LIBRARIES)
    first = caught.value.diagnostics[0]
    assert first.message == "the function Guard::Guard() (@_ZN5GuardC1Ev) is declared but not defined"
    assert str(caught.value).startswith("the function Guard::Guard()") and "`libraries`" in first.hint


def test_missing_symbols_of_code_generation_are_named() -> None:
    """The system decides whether the process has the symbol; an undefined name is not one of these."""
    ir = "define i128 @f(i128 %x, i128 %y) {\n  %z = sdiv i128 %x, %y\n  ret i128 %z\n}\n"
    try:
        pycoro.Engine(pycoro.Module(ir, host=True)).close()
    except pycoro.JitError as error:
        assert error.diagnostics[0].message.startswith("the function @__divti3 is called by generated code")
        assert "libraries=" in error.diagnostics[0].hint
    pycoro.Engine(pycoro.Module(ir, host=True), libraries=["libgcc_s.so.1"]).close()


def test_a_mistaken_binding_is_reported() -> None:
    ir = "declare void @print(i32)\ndefine void @f() {\n  call void @print(i32 1)\n  ret void\n}\n"
    with pytest.raises(pycoro.JitError, match=r"`externals` binds 'prnt': did you mean 'print'\?"):
        pycoro.Engine(pycoro.Module(ir), externals={"prnt": print})
