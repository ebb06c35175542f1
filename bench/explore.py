"""Measures the explorer's page for large inputs: seconds to generate it, bytes, and the browser's time to first paint.

It generates two C++ programs: one of about 1,000 lines with 44 coroutines, and one coroutine with 200 suspends.

    python bench/explore.py [FILE.cpp ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pycoro import explore
from pycoro.explore.unit import read_unit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from browser import Browser  # noqa: E402

HEAD = (ROOT / "docs" / "examples" / "generator.cpp").read_text().partition("Generator triangle")[0]
WALK = """
Generator walk{n}(int rows, std::string label) {{
  std::vector<int> seen;
  int sum = 0, before = rows * {n};
  for (int row = 1; row <= rows; row++) {{
    sum += row * {n};
    seen.push_back(sum);
    co_yield sum;
    if (sum % 7 == {n} % 7) {{
      int extra = before + row;
      co_yield extra;
      sum -= extra;
    }}
    std::string text = label + std::to_string(sum);
    std::printf("%s\\n", text.c_str());
    co_yield static_cast<int>(text.size());
  }}
  for (int each : seen) {{
    co_yield each;
  }}
  co_yield before;
}}
"""


def thousand() -> str:
    """Return a program of about 1,000 lines."""
    return "#include <string>\n#include <vector>\n" + HEAD + "".join(WALK.format(n=n) for n in range(1, 45))


def two_hundred() -> str:
    """Return one coroutine with 200 suspends, including the initial and the final one."""
    lines = [f"  int v{n} = rows * {n};\n  co_yield v{n};\n" + f"  rows += v{n // 2};\n" * (n % 5 == 0) for n in range(1, 199)]
    return HEAD + "Generator long_one(int rows) {\n" + "".join(lines) + "}\n"


def measure(path: Path, out: Path) -> str:
    began = time.perf_counter()
    module = read_unit(str(path))
    compiled = time.perf_counter()
    out.write_text(explore.page(explore.model(module, folders=[path.parent])))
    made = time.perf_counter()
    with Browser() as browser:
        browser.open(out)
        browser.run("new Promise((done) => setTimeout(done, 1000))")
        script = "Object.fromEntries(performance.getEntries().map((entry) => [entry.name, entry.startTime]))"
        told = browser.run(script)
    paint, drawn = (f"{told[name]:8.0f}" if name in told else "       -" for name in ("first-contentful-paint", "drawn"))
    return f"{path.name:18}{compiled - began:8.2f}{made - compiled:8.2f}{out.stat().st_size:10}{paint}{drawn}"


def main() -> None:
    print(f"{'':18}{'clang s':>8}{'page s':>8}{'bytes':>10}{'paint ms':>9}{'drawn':>7}")
    with tempfile.TemporaryDirectory() as folder:
        drawn = {"thousand.cpp": thousand(), "two_hundred.cpp": two_hundred()}
        for name, text in drawn.items() if not sys.argv[1:] else ():
            (Path(folder) / name).write_text(text)
        for path in map(Path, sys.argv[1:] or [f"{folder}/{name}" for name in drawn]):
            print(measure(path, Path(folder) / "page.html"), flush=True)


if __name__ == "__main__":
    main()
