"""Measures whole builds of units, `pycoro-c++` against clang++: `python bench/builds.py [FILE.cpp ...]`.

Both compile the same units in alternating processes, at -O2 and at -O0. The script prints medians of the processor time, with all
child processes, and the memory of the largest process. Without files it compiles a unit with one small coroutine, the sources of
bench/running, a generated unit of many tasks that use the standard library, and asio's echo server if Debian's asio is installed.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import statistics
import sys
import tempfile

import whole
from running import CLANG, FLAGS, PYCORO_CXX

HERE = pathlib.Path(__file__).resolve().parent
ASIO = HERE.parent / "tests/real/asio/echo.cpp"
DEFINES = ("-DASIO_HAS_CO_AWAIT", "-DASIO_HAS_STD_COROUTINE")
LEVELS = ("-O2", "-O0")
LARGE = 1000.0
"""Milliseconds of clang from which a unit is large: below, the start of processes dominates."""
SMALL = """#include <coroutine>
struct started {
  struct promise_type {
    started get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
started one_coroutine() { co_return; }
"""
PROLOGUE = """#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "generator.h"
#include "task.h"
"""
TASKS = """
task<std::string> read_K(std::map<std::string, std::vector<int>> &table, std::string key) {
  auto found = table.find(key);
  if (found == table.end()) co_return std::string("missing K");
  std::sort(found->second.begin(), found->second.end(), [](int a, int b) { return a % (K + 2) < b % (K + 2); });
  std::string text;
  for (int value : found->second) text += std::to_string(value + K) + ", ";
  co_return text;
}
task<int> count_K(std::map<std::string, std::vector<int>> &table, std::vector<std::string> keys) {
  int sum = 0;
  for (auto &key : keys) {
    std::string text = co_await read_K(table, key);
    sum += (int)text.size();
    if (text.find("missing") != std::string::npos) table[key].push_back(sum);
  }
  co_return sum;
}
"""
COPIES = 30


@dataclasses.dataclass(frozen=True)
class Build:
    """A unit compiled by both."""

    unit: str
    level: str
    theirs: whole.Cost
    ours: whole.Cost

    @property
    def is_large(self) -> bool:
        return self.theirs[0] >= LARGE


def units(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the units, the smallest first."""
    small, tasks = folder / "one_coroutine.cpp", folder / "many_tasks.cpp"
    small.write_text(SMALL)
    tasks.write_text(PROLOGUE + "".join(TASKS.replace("K", str(copy)) for copy in range(COPIES)))
    made = [small, tasks, *sorted(path for path in (HERE / "running").glob("*.cpp") if path.stem != "measure")]
    return [*made, ASIO] if pathlib.Path("/usr/include/asio.hpp").exists() else made


def measure(unit: pathlib.Path, level: str, folder: pathlib.Path, rounds: int) -> Build:
    options = (*FLAGS, *DEFINES, f"-I{HERE / 'running'}", level, "-c", str(unit), "-o")
    theirs, ours = whole.in_turns(
        whole.process(CLANG, *options, str(folder / "clang.o")),
        whole.process(PYCORO_CXX, *options, str(folder / "pycoro.o")),
        rounds=rounds,
    )
    return Build(unit.stem, level, theirs, ours)


def ratio(builds: list[Build], of: int = 0) -> float:
    return statistics.geometric_mean(build.ours[of] / build.theirs[of] for build in builds)


def shown(build: Build) -> str:
    (time, memory), (our_time, our_memory) = build.theirs, build.ours
    cells = (
        f"{time:.0f}",
        f"{our_time:.0f}",
        f"{our_time / time:.2f}",
        f"{memory:.0f}",
        f"{our_memory:.0f}",
        f"{our_memory / memory:.2f}",
    )
    return f"| {build.unit} {build.level} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="C++ sources")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--levels", nargs="*", default=LEVELS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        print("| unit | clang ms | pycoro ms | ratio | clang MB | pycoro MB | ratio |\n| --- |" + " ---: |" * 6)
        builds = []
        for unit in options.files or units(folder):
            for level in options.levels:
                builds.append(measure(unit, level, folder, options.rounds))
                print(shown(builds[-1]), flush=True)
        large = [build for build in builds if build.is_large]
        if large:
            print(f"\n{len(large)} units over a second: time {ratio(large):.3f}, memory {ratio(large, 1):.3f} (geometric means)")


if __name__ == "__main__":
    sys.exit(main())
