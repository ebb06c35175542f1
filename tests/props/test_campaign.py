"""A small campaign of damaged inputs: tests/props/campaign.py runs it at any size."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_damaged_inputs_are_survived(seed: int, tmp_path: pathlib.Path) -> None:
    command = [sys.executable, str(HERE / "campaign.py"), "--count", "500", "--jobs", "1", "--seed", str(seed)]
    ran = subprocess.run([*command, "--faults", str(tmp_path)], capture_output=True, text=True, timeout=600)
    kept = "\n".join(path.read_text() for path in tmp_path.glob("*.txt"))
    assert ran.returncode == 0, f"{ran.stdout}\n{kept}\n{ran.stderr[-2000:]}"
    assert "500 inputs" in ran.stdout
    assert "static-alloca" in ran.stdout and "pass-string" in ran.stdout


@pytest.mark.slow
def test_hard_input_for_code_generation_is_survived(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, str(HERE / "campaign.py"), "--of", "machine-code", "--count", "25", "--jobs", "1"]
    ran = subprocess.run([*command, "--faults", str(tmp_path)], capture_output=True, text=True, timeout=600)
    kept = "\n".join(path.read_text() for path in tmp_path.glob("*.txt"))
    assert ran.returncode == 0, f"{ran.stdout}\n{kept}\n{ran.stderr[-2000:]}"
    assert "25 inputs" in ran.stdout


PLANTED = """
import sys; sys.path[:0] = [sys.argv[1]]
import campaign, damage, os, json, time
def plant(seed, number, family):
    if number == 3: os.abort()
    if number == 5: raise RuntimeError("planted")
    if number == 7: time.sleep(60)
    while number == 8: pass
    return damage.Input("text", damage.PLAIN, damage.PASSES)
campaign.make, campaign.PATIENCE = plant, 1.5
if sys.argv[2] == "late": campaign.rejecting_rules = lambda module: os.abort()
print(json.dumps(campaign.batch(1, range(int(sys.argv[3])))))
"""


def test_crashes_and_hangs_are_reported() -> None:
    """Reports a crash, an exception, a sleeping input and an endless one, between harmless inputs."""
    ran = subprocess.run([sys.executable, "-c", PLANTED, str(HERE), "", "10"], capture_output=True, text=True, timeout=120)
    results = {result["number"]: result for result in json.loads(ran.stdout)}
    assert sorted(results) == list(range(10))
    assert {n for n, result in results.items() if result["outcome"] == "fault"} == {3, 5, 7, 8}
    assert "signal 6" in results[3]["why"] and "planted" in results[5]["why"] and all("hangs" in results[n]["why"] for n in (7, 8))


def test_a_crash_names_its_step() -> None:
    ran = subprocess.run([sys.executable, "-c", PLANTED, str(HERE), "late", "3"], capture_output=True, text=True, timeout=120)
    assert [result["why"] for result in json.loads(ran.stdout)] == ["explain: it ended by signal 6"] * 3


JUDGE = """
import sys; sys.path[:0] = [sys.argv[1]]
import campaign, os, pycoro
def refuse(module): raise pycoro.JitError("planted")
if sys.argv[2] == "engine": pycoro.Engine = refuse
if sys.argv[2] == "child": campaign.child = lambda *given: os._exit(0)
sys.argv[1:] = ["--count", "3", "--jobs", "1"]
sys.exit(campaign.main())
"""


@pytest.mark.parametrize(("broken", "said"), [("engine", "a sound module does not come through: planted"), ("child", "0 told")])
def test_a_judge_that_cannot_run_says_so(broken: str, said: str) -> None:
    ran = subprocess.run([sys.executable, "-c", JUDGE, str(HERE), broken], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1 and "judged nothing" in ran.stderr and said in ran.stderr, ran.stderr
    assert "inputs a second" not in ran.stdout
