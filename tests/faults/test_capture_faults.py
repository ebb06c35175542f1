"""The program of tests/real/captured finds faults in coro-infer-captures, and in the use of its attributes by coro-split."""

from __future__ import annotations

import pathlib
import sys

from drawn import Sample
from faulty import ROOT, Faulty
from marks import COMPILED, FAULTY

sys.path[:0] = [str(ROOT / "tests" / "real")]
import coroharness as harness  # noqa: E402

PROGRAM = ROOT / "tests" / "real" / "captured" / "addresses.cpp"
PASSES = "coro-infer-captures,coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"
FAULTS = (
    *("stored_address_lost", "returned_address_lost", "result_not_address", "coroutine_uses_address_later"),
    "address_of_result_lost",
)

pytestmark = [*FAULTY, COMPILED]


def test_faults_of_inferred_captures_are_found(faulty: Faulty, tmp_path: pathlib.Path) -> None:
    ir = harness.emit_ir(PROGRAM, tmp_path / "presplit.ll", "-O0", ("-std=c++20",)).read_text()
    ran = []
    for number, text in enumerate(faulty.lower([(Sample(ir, PASSES), list(FAULTS))])[0]):
        assert isinstance(text, str), text
        path = tmp_path / f"{number}.ll"
        path.write_text(text)
        ran.append(harness.run(harness.link([harness.compile_ir(path, path.with_suffix(".o"), "-O0")], path.with_suffix(".out"))))
    right, *wrong = ran
    assert right.status == 0
    assert [name for name, outcome in zip(FAULTS, wrong, strict=True) if outcome == right] == []
