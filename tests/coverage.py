"""Line and branch coverage of csrc/ by directory, and the functions never called: the output of `./dev coverage`.

`python tests/coverage.py PROFILES BINARY...`: a directory of raw profiles, and the programs and libraries that wrote them.
"""

from __future__ import annotations

import collections
import json
import pathlib
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent / "csrc"
KINDS = ("lines", "branches", "functions")


def export(profiles: pathlib.Path, binaries: list[str]) -> dict[str, Any]:
    """Return llvm-cov's data on the files under csrc/."""
    merged = profiles / "all.profdata"
    raw = [str(path) for path in profiles.glob("*.profraw")]
    subprocess.run(["llvm-profdata-22", "merge", "-sparse", "-o", str(merged), *raw], check=True)
    objects = [word for binary in binaries[1:] for word in ("-object", binary)]
    command = ["llvm-cov-22", "export", f"-instr-profile={merged}", binaries[0], *objects, "-sources", str(ROOT)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    data: dict[str, Any] = json.loads(ran.stdout)["data"][0]
    return data


def directory(path: str) -> str:
    return pathlib.Path(path).relative_to(ROOT).parts[0]


def table(files: list[dict[str, Any]]) -> str:
    sums: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for file in files:
        for name in (directory(file["filename"]), "all"):
            for kind in KINDS:
                sums[name][kind] += file["summary"][kind]["count"]
                sums[name][f"{kind} covered"] += file["summary"][kind]["covered"]
    lines = ["| directory | lines | branches | functions |", "| --- | ---: | ---: | ---: |"]
    for name in sorted(sums, key=lambda name: (name == "all", name)):
        count = sums[name]
        cells = [f"{100 * count[f'{kind} covered'] / max(1, count[kind]):.1f} % of {count[kind]}" for kind in KINDS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def never_entered(functions: list[dict[str, Any]]) -> list[str]:
    """Return functions never called; a function in several binaries counts as called if any binary calls it."""
    most: collections.Counter[tuple[str, str]] = collections.Counter()
    for function in functions:
        path = function["filenames"][0]
        if path.startswith(str(ROOT)):
            key = (path, function["name"].rpartition(":")[2])
            most[key] = max(most[key], function["count"])
    return sorted(f"{pathlib.Path(path).relative_to(ROOT)}: {name}" for (path, name), count in most.items() if not count)


def least(files: list[dict[str, Any]]) -> list[str]:
    """Return the files with the most uncovered lines."""
    missed = [(f["summary"]["lines"]["count"] - f["summary"]["lines"]["covered"], f["filename"]) for f in files]
    return [f"{pathlib.Path(path).relative_to(ROOT)}: {count} lines" for count, path in sorted(missed, reverse=True)[:10] if count]


def main() -> int:
    data = export(pathlib.Path(sys.argv[1]), sys.argv[2:])
    files = [file for file in data["files"] if file["filename"].endswith(".c")]
    print(table(files))
    print("\nnever entered:", *(never_entered(data["functions"]) or ["none"]), sep="\n  ")
    print("\nmost lines not run:", *least(files), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
