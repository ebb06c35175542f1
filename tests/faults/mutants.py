"""The mutation score: each planted fault is enabled separately, and the oracle tests random coroutines until it finds a
difference, which is then shrunk. As a command it prints the table.

    python tests/faults/mutants.py                      all faults
    python tests/faults/mutants.py spill_dropped ...    these
    python tests/faults/mutants.py csrc/lowering ...        those of a directory or a file
    python tests/faults/mutants.py --write docs/fault-tests.md

A fault is found if lowering with it differs from LLVM's, while lowering without it does not.
Shrunk programs are saved in build/faults/found/; a later run reuses them.
"""

from __future__ import annotations

import argparse
import atexit
import concurrent.futures
import dataclasses
import functools
import re
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from drawn import Sample, named_sample
from faulty import BUILD, Faulty, build
from judge import Judge
from planted import table

from pycoro import oracle
from pycoro.fuzz.minimize import minimize_lines

FOUND = BUILD / "found"
BATCH = 96  # samples that are drawn together
SOME = 24  # of them, judged together
LEAST = 4  # statements in the first of them


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of the search for one fault."""

    fault: str
    examples: int
    """Number of samples drawn until it was found, or in vain."""
    difference: str = ""
    """The oracle's verdict; empty if the fault survived."""
    sample: Sample | None = None

    @property
    def lines(self) -> int:
        return sum(1 for line in self.sample.ir.splitlines() if line) if self.sample else 0


@functools.cache
def judge() -> Judge:
    """Return the judge of this process."""
    both = oracle.Oracle(alignment=16)  # the guarantee of malloc
    atexit.register(both.close)
    return Judge(Faulty(built=True), both)


def judge_batch(seed: int, batch: int, faults: Sequence[str]) -> list[Finding]:
    """Return the faults found by samples that are drawn together, shortest first."""
    names = (f"{seed}:{batch}:{number}" for number in range(BATCH))
    samples = sorted((named_sample(name, LEAST + 2 * batch) for name in names), key=lambda sample: len(sample.ir))
    findings: dict[str, Finding] = {}
    for start in range(0, BATCH, SOME):
        some = samples[start : start + SOME]
        left = [fault for fault in faults if fault not in findings]
        for number, shown in enumerate(judge().shown([(sample, left) for sample in some], drawn=True), batch * BATCH + start + 1):
            for fault, said in shown.items():
                findings.setdefault(fault, Finding(fault, number, said, some[(number - 1) % SOME]))
    return list(findings.values())


def find(pool: concurrent.futures.Executor, faults: Sequence[str], seed: int, most: int, seconds: float) -> Iterator[Finding]:
    """Draw ever larger samples, each for all faults not yet found. Results are independent of the number of workers."""
    left, end = list(faults), time.monotonic() + seconds
    batches, looking = iter(range(-(-most // BATCH))), deque[concurrent.futures.Future[list[Finding]]]()
    while left:
        while len(looking) < AHEAD and time.monotonic() < end and (batch := next(batches, None)) is not None:
            looking.append(pool.submit(judge_batch, seed, batch, left))
        if not looking:
            break
        for finding in looking.popleft().result():
            if finding.fault in left:
                yield finding
                left = [other for other in left if other != finding.fault]
    drawn = min(most, BATCH * (next(batches, -(-most // BATCH))))
    yield from (Finding(fault, drawn) for fault in left)
    for rest in looking:
        rest.cancel()


AHEAD = 2
"""Batches that are started before the preceding results are known."""


def shrunk(finding: Finding, seconds: float) -> Finding:
    """Return the finding with the smallest program in the time. LLVM runs in the end, and at every step only if it does not
    agree then."""
    sample = finding.sample
    for believing in (True, False) if sample and seconds else ():
        small = dataclasses.replace(sample, ir=minimize_lines(sample.ir, Shows(finding, believing), seconds=seconds))
        if said := judge().shows(small, finding.fault):
            return dataclasses.replace(finding, sample=small, difference=said)
    return finding


@dataclasses.dataclass(frozen=True)
class Shows:
    """Selects the texts that still detect the finding's fault."""

    finding: Finding
    believing: bool

    def __call__(self, irs: Sequence[str]) -> list[bool]:
        fault, sample = self.finding.fault, self.finding.sample
        assert sample
        asked = [(dataclasses.replace(sample, ir=ir), [fault]) for ir in irs]
        return [fault in shown for shown in judge().shown(asked, believing=self.believing)]


def write(finding: Finding) -> None:
    """Save the program that detects the fault in build/faults/found/."""
    FOUND.mkdir(exist_ok=True)
    if finding.sample:
        head = [f"; {finding.fault}: {cell(finding.difference)}", f"; passes: {finding.sample.passes}"]
        head += [f"; abi: {finding.sample.abi}", f"; found after: {finding.examples}", "; call @drive0()"]
        (FOUND / f"{finding.fault}.ll").write_text("\n".join([*head, finding.sample.ir]))


def load_findings(faults: Sequence[str]) -> list[Finding]:
    """Return an earlier run's findings that still hold."""
    findings = []
    for fault in faults:
        path = FOUND / f"{fault}.ll"
        text = path.read_text() if path.exists() else ""
        head = re.match(r"; .*\n; passes: (.*)\n; abi: (.*)\n; found after: (.*)\n; call.*\n", text)
        if head:
            findings.append(Finding(fault, int(head[3]), "", Sample(text[head.end() :], head[1], head[2])))
    shown = [judge().shown([(one.sample, [one.fault])])[0] for one in findings if one.sample]
    told = [dataclasses.replace(one, difference=said.get(one.fault, "")) for one, said in zip(findings, shown, strict=True)]
    return [one for one in told if one.difference]


def cell(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return first.replace("|", "\\|")


TITLES = ["| bug | effect | found after | lines | output of the oracle |", "| --- | --- | --- | --- | --- |"]
SURVIVED = "SURVIVED"
Rows = dict[str, str]
"""Rows of the table, by fault."""


def rows(findings: list[Finding], faults: dict[str, str]) -> Rows:
    found: Rows = {}
    for one in findings:
        after = f"{one.examples}" if one.difference else f"{SURVIVED} {one.examples}"
        found[one.fault] = f"| {one.fault} | {faults[one.fault]} | {after} | {one.lines or ''} | {cell(one.difference)} |"
    return found


def parse_rows(text: str) -> Rows:
    """Parse the rows of an existing table."""
    return {match[1]: match[0] for match in re.finditer(r"^\| (\w+) \| .*\|$", text, re.MULTILINE) if match[0] not in TITLES}


def report(found: Rows, faults: Sequence[str]) -> list[str]:
    """Return a summary of all faults and the table, in the order of faults.toml."""
    here = [found[fault] for fault in faults if fault in found]
    survived = sum(f"| {SURVIVED} " in row for row in here)
    longest = max((int(count) for row in here for count in re.findall(r"\| \d+ \| (\d+) \|", row)), default=0)
    lines = [f"{len(here) - survived} of {len(faults)} bugs found; the longest minimized program has {longest} lines."]
    if not_looked := [fault for fault in faults if fault not in found]:
        lines.append(f"Not searched for: {', '.join(not_looked)}.")
    return [*lines, "", *TITLES, *here, ""]


HEAD = """# Mutation score

This page is for contributors. It shows which bugs in the engine the random tests detect.

`tests/faults/faults.toml` lists bugs: an expression of `csrc/` and its replacement. `tests/faults/planted.py` plants all of them in
a copy of the engine; a debug build enables one at a time. Random coroutines run through the oracle until it reports a difference
from LLVM's lowering that the copy without a bug does not have. While a coroutine is suspended, the fields that its report calls
dead are overwritten, so that an incorrect report is visible. A program counts only if the presplit interpreter finishes and agrees
with LLVM's lowering. The interpreter rejects undefined behavior.

"Found after" is the number of generated programs. "Lines" is the size of the minimized module
(`pycoro.fuzz.minimize_lines`) with its declarations, one instruction per line, without blank lines; removed definitions are
replaced with zero. For surviving bugs the
table shows the number of programs in the last run. Each run starts with the results of earlier runs in `build/faults/found`.
`python tests/faults/mutants.py --write docs/fault-tests.md` writes this page. With names of bugs, or of directories or files of
`csrc/`, it updates only their rows.

`python tests/faults/elided.py` searches for elision bugs that no random program has exposed, with the cases of `tests/elision`.
It finds own_slot_confused by the case destroys_itself, awaiter_unchanged by awaiter_changes, cleanup_cold by by_value_chain,
exported_function_deleted by no_question, live_user_overlooked by read_in_a_tail_call, and select_inverted and term_of_first by
filter_sum. [The checker](proof-tests.md) refutes type_id_forgotten, callee_frame_from_allocator, given_allocator_ignored,
null_allocator_ignored, frame_where_paths_meet, chosen_number_of_neighbour,
chosen_distance_forgotten, funclet_bundle_missed, deferred_spill_lost, deferred_spill_where_dead, joined_list_empty,
other_stack_restored and the bugs whose names begin with heap_ or early_blocks_.

`tests/faults/test_cached_frame_faults.py` finds cached_block_not_rounded, cached_block_freed, cached_block_freed_short and
cached_with_sanitizer, because no random program calls C++'s `operator new`. `tests/faults/test_capture_faults.py` finds
stored_address_lost, returned_address_lost, result_not_address, coroutine_uses_address_later and address_of_result_lost, because no
random program has such callees. `tests/faults/test_ir_faults.py` finds own_resume_destroys, own_resume_after_another,
pads_with_other_instructions and early_result_overlooked with the IR tests of the same transformations.

Not minimized yet: merged_choice_kept, store_overlooked, ramp_trusted, helper_destroys, called_destroy_frees, restart_overlooked,
suspended_by_default, null_swapped, overwritten_overlooked, coroutine_trusted, choice_overlooked and always_its_own.
"""


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", metavar="fault", help="which faults (all): names, folders or files of csrc/")
    parser.add_argument("--examples", type=int, default=10000, help="programs drawn at the most (10000)")
    parser.add_argument("--seconds", type=float, default=480, help="spent on looking at the most (480)")
    parser.add_argument("--shrink", type=float, default=600, metavar="SECONDS", help="for each fault at the most, 0: none (600)")
    parser.add_argument("--again", type=int, default=0, metavar="LINES", help="of what is known, shrink what is longer (0)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", action="store_true", help="also search for mutants that earlier runs found")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to a file too")
    return parser


def search(options: argparse.Namespace, faults: Sequence[str]) -> list[Finding]:
    """Find and shrink, and print the progress."""
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        earlier = [] if options.repeat else pool.submit(load_findings, faults).result()
        found = {finding.fault: finding for finding in earlier}
        print(f"{len(found)} are known from before", flush=True)
        missing = [fault for fault in faults if fault not in found]
        for finding in find(pool, missing, options.seed, options.examples, options.seconds):
            print(f"{finding.examples}: {finding.fault} {finding.lines} {cell(finding.difference)}", flush=True)
            found[finding.fault] = finding
            write(finding)
        shrinking = [
            pool.submit(shrunk, finding, options.shrink)
            for finding in found.values()
            if finding.fault in missing or finding.lines > options.again
        ]
        for future in concurrent.futures.as_completed(shrinking):
            finding = found[future.result().fault] = future.result()
            write(finding)
            print(f"{finding.fault}: {finding.lines}", flush=True)
    return [found[fault] for fault in faults]


def select_faults(name: str) -> list[str]:
    """Return the faults of that name, or in the file or directory of that name."""
    return [fault.name for fault in table().values() if name == fault.name or f"{fault.file}/".startswith(f"{name.rstrip('/')}/")]


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    faults = {fault.name: fault.what for fault in table().values()}
    unknown = [name for name in options.faults if not select_faults(name)]
    if unknown:
        parser.error(f"no fault is called {unknown[0]}, or in a file of that name; tests/faults/faults.toml lists them")
    wanted = {fault for name in options.faults for fault in select_faults(name)} or set(faults)
    build()
    findings = search(options, [fault for fault in faults if fault in wanted])
    found = rows(findings, faults)
    print("", *report(found, [fault for fault in faults if fault in wanted]), sep="\n")
    if options.write:
        before = parse_rows(options.write.read_text()) if options.write.exists() else {}
        options.write.write_text("\n".join([HEAD, *report(before | found, list(faults))]))
    return int(not all(one.difference for one in findings))


if __name__ == "__main__":
    sys.exit(main())
