"""The program of tests/real/cached finds faults in coro-cache-frames, whose operators no random program calls."""

from __future__ import annotations

import pathlib
import sys

from drawn import Sample
from faulty import ROOT, Faulty
from marks import COMPILED, FAULTY

sys.path[:0] = [str(ROOT / "tests" / "real")]
import coroharness as harness  # noqa: E402

PROGRAM = ROOT / "tests" / "real" / "cached" / "frames.cpp"
SANITIZED = ROOT / "tests" / "ir" / "cache-frames" / "other-memory.ll"
PASSES = "coro-cache-frames,default<O0>"
FLAGS = ("-std=c++20",)
FAULTS = ("cached_block_not_rounded", "cached_block_freed", "cached_block_freed_short")

pytestmark = [*FAULTY, COMPILED]


def outcomes(faulty: Faulty, faults: tuple[str, ...], folder: pathlib.Path) -> list[harness.Outcome]:
    """Return the outcomes of the program as lowered without a fault, then with each."""
    ir = harness.emit_ir(PROGRAM, folder / "presplit.ll", "-O0", FLAGS).read_text()
    ran: list[harness.Outcome] = []
    for number, text in enumerate(faulty.lower([(Sample(ir, PASSES), list(faults))])[0]):
        assert isinstance(text, str), text
        path = folder / f"{number}.ll"
        path.write_text(text)
        ran.append(harness.run(harness.link([harness.compile_ir(path, path.with_suffix(".o"), "-O0")], path.with_suffix(".out"))))
    return ran


def test_faults_of_cached_frames_are_found(faulty: Faulty, tmp_path: pathlib.Path) -> None:
    right, *wrong = outcomes(faulty, FAULTS, tmp_path)
    assert right.status == 0
    assert len(wrong) == len(FAULTS) and right not in wrong


def test_caching_frames_with_a_sanitizer_is_found(faulty: Faulty) -> None:
    ir = SANITIZED.read_text()
    right, wrong = faulty.lower([(Sample(ir, "coro-cache-frames"), ["cached_with_sanitizer"])])[0]
    assert "frame_cache" not in str(right) and "frame_cache" in str(wrong)
