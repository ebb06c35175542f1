"""The score of the planted faults: selection of faults, and preserved rows of a partly updated table."""

from __future__ import annotations

from mutants import Finding, parse_rows, report, rows, select_faults
from planted import table

FAULTS = ["early", "late", "never", "new"]
WHAT = {fault: f"it is {fault}" for fault in FAULTS}


def test_faults_are_selected_by_name_file_and_directory() -> None:
    faults = table()
    assert select_faults("third_shares") == ["third_shares"]
    packing = select_faults("csrc/graph/pack.c")
    assert "third_shares" in packing and {faults[name].file for name in packing} == {"csrc/graph/pack.c"}
    folder = select_faults("csrc/graph/")
    assert folder == select_faults("csrc/graph") and set(packing) < set(folder)
    assert {faults[name].file.rpartition("/")[0] for name in folder} == {"csrc/graph"}
    assert select_faults("csrc/gra") == select_faults("no_such_fault") == []


def test_rows_of_other_faults_are_preserved() -> None:
    first = rows(
        [Finding("late", 3, "event 1 | is lost"), Finding("never", 5000), Finding("gone", 1, "so")], WHAT | {"gone": "gone"}
    )
    before = parse_rows("\n".join(report(first, [*FAULTS, "gone"])))
    assert before == first
    again = before | rows([Finding("never", 7, "seen"), Finding("early", 1, "seen")], WHAT)
    lines = report(again, FAULTS)
    assert lines[:2] == ["3 of 4 bugs found; the longest minimized program has 0 lines.", "Not searched for: new."]
    assert [line.split(" | ")[0] for line in lines[5:-1]] == ["| early", "| late", "| never"]
    assert "| late | it is late | 3 |  | event 1 \\| is lost |" in lines


def test_surviving_faults_are_counted() -> None:
    found = rows([Finding("early", 1, "seen"), Finding("never", 9600)], WHAT)
    assert report(found, ["early", "never"])[0].startswith("1 of 2 bugs found")
    assert "SURVIVED 9600" in found["never"]
