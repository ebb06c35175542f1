"""A campaign of damaged inputs against every entry point: `python tests/props/campaign.py --count 200000 --jobs 2`.

Each input is parsed, its frames are queried, it is interpreted, lowered, printed, parsed and interpreted again, and compiled, in
a child process that may crash or hang. A crash, a hang, an exception that is no pycoro.Error, a rejection without a diagnostic,
and a module changed by a failed run are failures: the input is saved in the directory `--faults`, and the exit status is 1.
`--of machine-code` uses modules that are hard on LLVM's code generator instead.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import select
import signal
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from typing import Any, BinaryIO

sys.path[:0] = [str(pathlib.Path(__file__).parent)]
from damage import COUNTER, FAMILIES, PASSES, Input, make  # noqa: E402

import pycoro  # noqa: E402

BATCH = {"damaged": 500, "machine-code": 25}  # inputs of a child; its exit frees memory that crashes of LLVM leaked
CALLED = 3  # functions of a module
STEPS = 2000  # of the interpreter
PATIENCE = 30.0  # seconds of processor time, or of sleep, for one step of an input; pycoro's child processes have 5 each
LOOK = 0.5  # seconds between checks of a silent child


class JudgeError(Exception):
    """The inputs were not tested."""


def check_error_class(error: pycoro.Error) -> None:
    """Accept every pycoro.Error except InternalError."""
    if isinstance(error, pycoro.InternalError):
        raise error


def rejecting_rules(module: pycoro.Module) -> list[str]:
    """Return the rules that reject coroutines when their frames are queried."""
    rules = []
    for name in module.coroutines:
        try:
            assert module.coroutines[name].frame.size >= 0
        except pycoro.RejectedError as error:
            assert error.diagnostics
            rules.append(error.diagnostics[0].rule)
    return rules


def comparable_text(module: pycoro.Module) -> str:
    """Return the text without use-list order and source name: LLVM prints no empty source name."""
    return re.sub(r" *; preds = .*|^source_filename = .*\n", "", str(module), flags=re.MULTILINE)


def lower(module: pycoro.Module, passes: str, before: str) -> dict[str, Any]:
    generation = module.generation  # an upgrade on reading is a change
    try:
        module.run(passes, verify_each=True)
    except pycoro.Error as error:
        check_error_class(error)
        assert error.diagnostics and error.diagnostics[0].message, "a refusal without a diagnostic"
        assert str(module) == before and module.generation == generation, "a rejected run has changed the module"
        return {"outcome": "refused", "rule": error.diagnostics[0].rule}
    module.verify()
    with pycoro.Module(str(module), name=module.name) as again:
        assert comparable_text(again) == comparable_text(module), "the printed module reads as another one"
    return {"outcome": "lowered"}


def arguments(function: Any) -> list[int] | None:
    """Return zeros for a function whose parameters are all integers and pointers."""
    taken = function.type.partition("(")[2].rpartition(")")[0].split(", ")
    words = [word.split()[0] for word in taken if word]
    return [0] * len(words) if all(word == "ptr" or (word[0] == "i" and word[1:].isdigit()) for word in words) else None


def interpret(module: pycoro.Module) -> None:
    """Interpret callable functions; a defect of the program must be a pycoro.Error."""
    try:
        interpreter = pycoro.Interpreter(module, steps=STEPS, depth=50)
    except pycoro.Error as error:
        check_error_class(error)
        return
    with interpreter:
        for name in [*interpreter][:CALLED]:
            try:
                function = interpreter[name]
                if (zeros := arguments(function)) is not None:
                    function.call(*zeros)
            except pycoro.Error as error:
                check_error_class(error)


def compile_all(module: pycoro.Module) -> None:
    """Compile the lowered module without calling it, because native code may do anything."""
    try:
        engine = pycoro.Engine(module)
    except pycoro.Error as error:
        check_error_class(error)
        return
    with engine:
        for name in [*engine][:CALLED]:
            try:
                assert engine.address(name)
            except pycoro.Error as error:
                check_error_class(error)


def run_input(given: Input, tell: BinaryIO) -> dict[str, Any]:
    """Return the outcome of one input. Each step is announced first, in case the child dies in it."""

    def step(name: str) -> None:
        tell.write(json.dumps({"step": name}).encode() + b"\n")
        tell.flush()

    step("parse")
    try:
        module = pycoro.Module(given.data)
    except (pycoro.ParseError, pycoro.VerifyError) as error:
        assert error.diagnostics and error.diagnostics[0].message, "a refusal without a diagnostic"
        return {"outcome": "unreadable", "rule": error.diagnostics[0].rule}
    with module:
        before = str(module)
        step("explain")
        rejecting_rules(module)
        assert str(module) == before, "a look has changed the module"
        step("interpret")
        interpret(module)
        step("run")
        result = lower(module, given.passes, before)
        if result["outcome"] == "lowered":
            step("interpret what was lowered")
            interpret(module)
            step("compile")
            compile_all(module)
        return result


def child(seed: int, numbers: range, write: int, family: str) -> None:
    """Write a line for each step of each input: first its number, last its outcome."""
    with os.fdopen(write, "wb") as tell:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)  # interpreted programs may print
        os.dup2(null, 2)  # LLVM's reader prints warnings
        for number in numbers:
            tell.write(json.dumps({"number": number}).encode() + b"\n")
            tell.flush()
            given = None
            try:
                given = make(seed, number, family)
                result = run_input(given, tell) | {"kind": given.kind}
            except BaseException:
                result = {"outcome": "fault", "why": traceback.format_exc()[-1500:], "kind": given.kind if given else "?"}
            tell.write(json.dumps(result).encode() + b"\n")
            tell.flush()


def processor_time(pid: int) -> float:
    """Return the processor time in seconds of a process and its children, which is reliable on a loaded machine."""
    try:
        after_name = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # the process has ended
        return 0.0
    return sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK") + sum(processor_time(int(one)) for one in children)


class Watch:
    """Detects a hanging child: one that works or sleeps longer than PATIENCE between two messages."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.heard()

    def heard(self) -> None:
        self.began = self.seen = processor_time(self.pid)
        self.moved = time.monotonic()

    def hangs(self) -> bool:
        now = processor_time(self.pid)
        if now != self.seen:
            self.seen, self.moved = now, time.monotonic()
        return now - self.began > PATIENCE or time.monotonic() - self.moved > PATIENCE


def collect_results(read: int, pid: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Collect results until the child ends or hangs; return its last step."""
    last: dict[str, Any] = {"number": None, "step": "make", "hangs": False}
    watch, rest = Watch(pid), b""
    while True:
        ready, _, _ = select.select([read], [], [], LOOK)
        if not ready:
            if watch.hangs():
                return last | {"hangs": True}
            continue
        chunk = os.read(read, 1 << 16)
        if not chunk:
            return last
        watch.heard()
        *lines, rest = (rest + chunk).split(b"\n")
        for line in map(json.loads, lines):
            if "outcome" in line:
                results.append(line | {"number": last["number"]})
                last["number"] = None
            else:
                last |= line if "step" in line else {**line, "step": "make"}


def batch(seed: int, numbers: range, family: str = "damaged") -> list[dict[str, Any]]:
    """Return the results of a range of inputs, using as many children as necessary."""
    results: list[dict[str, Any]] = []
    all_of_them = numbers
    while numbers:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            child(seed, numbers, write, family)
            os._exit(0)
        os.close(write)
        last = collect_results(read, pid, results)
        os.close(read)
        if last["hangs"]:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if last["number"] is None:
            if status or len(results) != len(all_of_them):
                raise JudgeError(f"the child that tries inputs ended by status {status} with {len(results)} told")
            break
        results.append(outcome_of_crash(seed, last, status, family))
        numbers = range(last["number"] + 1, numbers.stop)
    return results


def outcome_of_crash(seed: int, last: dict[str, Any], status: int, family: str) -> dict[str, Any]:
    """Return the outcome of an input that killed the child. Writing bitcode of a valid module is tested too."""
    kind = make(seed, last["number"], family).kind if last["step"] != "make" else "?"
    why = "it hangs" if last["hangs"] else f"it ended by signal {os.WTERMSIG(status)}"
    return {"outcome": "fault", "why": f"{last['step']}: {why}", "kind": kind, "number": last["number"]}


def keep(folder: pathlib.Path, seed: int, fault: dict[str, Any], family: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"{seed}-{fault['number']}"
    stem.with_suffix(".txt").write_text(f"{fault['why']}\n")
    if fault["kind"] != "?":
        given = make(seed, fault["number"], family)
        data = given.data.encode() if isinstance(given.data, str) else given.data
        stem.with_suffix(".ll" if isinstance(given.data, str) else ".bc").write_bytes(data)
        stem.with_suffix(".passes").write_text(given.passes)


def check_judge() -> None:
    """Check that a valid input passes every step; otherwise failures would mean nothing."""
    try:
        spent_so_far = pathlib.Path("/proc/self/stat").read_text()  # the file distinguishes a hanging child from a working one
        with pycoro.Module(re.sub(r"declare void (@print\(.*\))", r"define void \1 {\n  ret void\n}", COUNTER)) as module:
            module.run(PASSES, verify_each=True)
            with pycoro.Interpreter(module, steps=STEPS, depth=50) as interpreter:
                called = [*interpreter]
            with pycoro.Engine(module) as engine:
                placed = [engine.address(name) for name in engine]
    except (pycoro.Error, OSError) as error:
        raise JudgeError(f"a sound module does not come through: {error}") from error
    if not (spent_so_far and called and all(placed)):
        raise JudgeError("a sound module has no functions")


def campaign(seed: int, count: int, jobs: int, faults: pathlib.Path, family: str) -> collections.Counter[tuple[str, str, str]]:
    """Count the inputs for each (kind, outcome, rule)."""
    seen: collections.Counter[tuple[str, str, str]] = collections.Counter()
    size = BATCH[family]
    batches = [range(start, min(start + size, count)) for start in range(0, count, size)]
    check_judge()
    began = time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        for done, results in enumerate(pool.map(batch, [seed] * len(batches), batches, [family] * len(batches)), 1):
            for result in results:
                seen[result["kind"], result["outcome"], result.get("rule", "")] += 1
                if result["outcome"] == "fault":
                    keep(faults, seed, result, family)
            if sys.stderr.isatty() or done % 20 == 0:
                print(f"{seen.total()} inputs, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return seen


def table(seen: collections.Counter[tuple[str, str, str]]) -> str:
    outcomes = sorted({outcome for _, outcome, _ in seen})
    lines = ["| kind | " + " | ".join(outcomes) + " |", "| --- |" + " ---: |" * len(outcomes)]
    for kind in sorted({kind for kind, _, _ in seen}):
        cells = [str(sum(n for (k, o, _), n in seen.items() if (k, o) == (kind, outcome))) for outcome in outcomes]
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    rules: collections.Counter[str] = collections.Counter()
    for (_, outcome, rule), n in seen.items():
        if outcome == "refused":
            rules[rule] += n
    named = ", ".join(f"{rule} {n}" for rule, n in rules.most_common())
    return "\n".join([*lines, "", f"{seen.total()} inputs; refused by {len(rules)} rules: {named}"])


def main() -> int:
    parser = argparse.ArgumentParser(description="damaged inputs against every entry point of pycoro")
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument(
        "--of", choices=FAMILIES, default="damaged", help="coroutines that were damaged, or modules that are hard to compile"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--faults", type=pathlib.Path, default=pathlib.Path("build/faults"), help="where inputs are kept")
    arguments = parser.parse_args()
    began = time.monotonic()
    try:
        seen = campaign(arguments.seed, arguments.count, arguments.jobs, arguments.faults, arguments.of)
    except JudgeError as error:
        sys.exit(f"the campaign has judged nothing: {error}")
    print(table(seen))
    print(f"{seen.total() / (time.monotonic() - began):.0f} inputs a second")
    faults = sum(n for (_, outcome, _), n in seen.items() if outcome == "fault")
    if faults:
        print(f"{faults} faults: see {arguments.faults}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
