"""The table of elision: each case has the stated result with LLVM and pycoro; no trap miscompiles; the page is up to date."""

from __future__ import annotations

import collections
import os

import coroharness as harness
import elisions
import pytest

CASES = elisions.cases()
LEVELS = ("O0", "O2", "O3")
SANITIZED = CASES if os.environ.get("PYCORO_ELISION") == "all" else CASES[::12]  # all take ten minutes

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("elision")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_matches_the_table(case, folder):
    assert not elisions.differences(case, elisions.measured(case, folder))


@pytest.mark.slow
@pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", SANITIZED, ids=lambda case: case.name)
def test_is_clean_under_sanitizers(case, level, tmp_path, monkeypatch):
    """Sanitizers would end the run at a use of a freed frame, a leak or a use of a dead stack frame. Intended leaks are
    counted instead, and leak checking is off."""
    if case.leaks or case.lost:
        monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    ir = elisions.presplit(case, tmp_path, level, harness.SANITIZE)
    outcome = elisions.run(elisions.build(case, ir, "pycoro", level, tmp_path, asan=True))
    plain = elisions.run(elisions.build(case, elisions.presplit(case, tmp_path, "O2"), "reference", "O0", tmp_path))
    assert (outcome.status, outcome.output) == (0, plain.output)
    lost = outcome.frames - outcome.freed
    assert lost == case.leaks if level == "O0" else lost in (case.lost, case.leaks)  # with checks between, less can be proved


def test_every_source_is_in_the_table_once():
    sources = {path for kind in ("cpp", "ir") for path in (elisions.HERE / kind).iterdir()}
    named = collections.Counter(case.source for case in CASES)
    assert set(named) == sources
    assert max(named.values()) == 1
    assert {case.publisher for case in CASES if case.apart} == set((elisions.HERE / "apart").iterdir())


def test_the_table_has_enough_cases_and_traps():
    assert len(CASES) >= 40
    assert all(case.why and case.shape and case.group for case in CASES)
    assert all(case.pycoro >= case.least for case in CASES)
    assert sum(case.least > 0 for case in CASES) >= 10


def test_pycoro_elides_more_than_llvm():
    for case in CASES:
        if isinstance(case.llvm, int) and case.llvm >= case.least:
            assert case.pycoro <= case.llvm, case.name
    assert sum(case.pycoro < case.llvm for case in CASES if isinstance(case.llvm, int)) >= 10


def test_the_page_is_up_to_date():
    assert elisions.PAGE.read_text() == elisions.page(), f"python tests/elision/elisions.py --write {elisions.PAGE}"
