"""Campaigns: results are independent of the workers, dying workers lose nothing, failures persist."""

from __future__ import annotations

import importlib.util
import io
import json
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import pycoro
from pycoro import fuzz, oracle
from pycoro.cli import main
from pycoro.fuzz.campaign import shards_of_campaign
from pycoro.fuzz.failures import FailureStore
from pycoro.fuzz.progress import Progress
from pycoro.fuzz.reduce import shows_same_difference
from pycoro.fuzz.shard import ShardResult, problem_bucket_schedule_trace
from pycoro.pipeline import DEFAULT

WRONG = oracle.CallableLowering(lambda ir: str(ir), "no lowering")
SETTINGS = fuzz.Settings(fuzz.Budget(24), seed=3, profile="small", pipelines=(DEFAULT,), shard_size=4)


def facts(results: fuzz.Results) -> dict[int, tuple[int, int, int, dict[str, int]]]:
    return {n: (r.programs, r.coroutines, r.runs, dict(r.endings)) for n, r in sorted(results.shards.items())}


@pytest.fixture(scope="module")
def serial() -> fuzz.Results:
    return fuzz.Campaign(SETTINGS, partial(fuzz.processes, 0)).run()


def test_small_coroutines_agree(serial: fuzz.Results) -> None:
    assert (serial.programs, len(serial.shards), serial.lost) == (24, 6, {})
    assert all(set(result.endings) == {"finished"} and not result.failures for result in serial.shards.values())


def test_shards_pickle() -> None:
    shard = fuzz.Shard(0, 5, 2, 3, "small", DEFAULT)
    result = pickle.loads(pickle.dumps(fuzz.run_shard(pickle.loads(pickle.dumps(shard)))))
    assert (result.programs, result.failures) == (2, [])
    assert fuzz.draw("3:5", "small").cases == fuzz.from_choices(fuzz.draw("3:5", "small").choices, "small").cases or [
        case.ir for case in fuzz.draw("3:5", "small").cases
    ] == [case.ir for case in fuzz.from_choices(fuzz.draw("3:5", "small").choices, "small").cases]


# ---- Dying workers ----


def slow_shard(shard: fuzz.Shard, folder: str) -> fuzz.ShardResult:
    """Run a shard after recording it in a file; the first worker of shard 2 dies."""
    mark = Path(folder) / "died"
    if shard.number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return fuzz.run_shard(shard)


def test_a_dying_process_loses_nothing(serial: fuzz.Results, tmp_path: Path) -> None:
    campaign = fuzz.Campaign(SETTINGS, partial(fuzz.processes, 2), work=partial(slow_shard, folder=str(tmp_path)))
    results = campaign.run()
    assert (tmp_path / "died").exists() and results.again > 0
    assert facts(results) == facts(serial) and not results.lost


CAMPAIGN = """\
import sys, time
from pycoro import fuzz
if __name__ == "__main__":
    beats = "import itertools, pathlib, time\\nfor n in itertools.count(): pathlib.Path(PATH).write_text(str(n)); time.sleep(0.05)"
    with fuzz.processes(1) as pool:
        pool.submit(exec, beats, {"PATH": sys.argv[1]})
        time.sleep(600)
"""


def test_workers_end_with_the_campaign(tmp_path: Path) -> None:
    beats, script = tmp_path / "beats", tmp_path / "campaign.py"
    script.write_text(CAMPAIGN)
    with subprocess.Popen([sys.executable, str(script), str(beats)]) as campaign:
        try:
            wait(beats.exists)
        finally:
            campaign.kill()
    last = beats.read_text()
    for _ in range(100):
        time.sleep(0.3)  # several heartbeats
        if last == (last := beats.read_text()):
            return
    raise AssertionError("the worker goes on")


def wait(until: Callable[[], bool]) -> None:
    for _ in range(600):
        if until():
            return
        time.sleep(0.1)
    raise AssertionError("it did not begin")


class Deadly(Executor):
    """An executor that breaks on a given shard."""

    def submit(self, fn: object, /, *args: object, **kwargs: object) -> Future[object]:  # type: ignore[override]
        future: Future[object] = Future()
        future.set_exception(BrokenProcessPool("it died"))
        return future


@contextmanager
def deadly() -> Iterator[Executor]:
    yield Deadly()


def test_a_shard_that_kills_every_worker_is_reported() -> None:
    results = fuzz.Campaign(replace(SETTINGS, budget=fuzz.Budget(4)), deadly).run()
    assert results.shards == {} and results.lost == {0: "BrokenProcessPool: it died"}
    assert not fuzz.CampaignReport(SETTINGS, ["pycoro"], results).ok


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed: pip install pycoro-llvm[dask]")
def test_a_dying_dask_worker_loses_nothing(serial: fuzz.Results, tmp_path: Path) -> None:
    """In a cluster of three processes, one is killed during a shard."""
    import distributed

    options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options, local_directory=str(tmp_path)) as cluster:
        work = partial(slow_shard, folder=str(tmp_path))
        results = fuzz.Campaign(SETTINGS, partial(fuzz.dask, cluster.scheduler_address), work=work, window=6).run()
        workers = {result.worker for result in results.shards.values()}
    assert (tmp_path / "died").exists()
    assert facts(results) == facts(serial) and not results.lost
    assert len(workers) > 1, "several processes did the work"


# ---- Failures ----

BROKEN = """
declare void @print(i32)
define void @f() {
  call void @print(i32 1)
  call void @print(i32 2)
  ret void
}
"""


def failure(**changes: object) -> fuzz.Failure:
    """Return a failure, which shows because the reference lacks one of our features."""
    case = oracle.Case("declare ptr @malloc(i64)\ndefine void @f() {\n  %p = call ptr @malloc(i64 8)\n  ret void\n}\n")
    made = fuzz.Failure(case, "", "", "default<O2>", "pycoro:coro-early", "small", ())
    return replace(made, **changes)  # type: ignore[arg-type]


def test_failures_persist_and_are_replayed(tmp_path: Path) -> None:
    """Lowering at O2 removes the allocation; the reference does not."""
    with oracle.Oracle() as judge_of:
        shown = replace(failure(), bucket="finished/finished: returned against allocate")
        found = fuzz.reduce(judge_of, shown, 10)
        assert found.difference.startswith("event 1 is `returned None` in pycoro's lowering, `allocate malloc block 0` in")
        database = fuzz.Database(tmp_path / "db")
        assert database.should_store(shown)
        path = database.add(replace(shown, difference=found.difference))
        assert not database.should_store(shown), "it is there already"
        again = list(fuzz.Database(tmp_path / "db").replay(judge_of))
    assert [(replayed, was) for replayed, was, _ in again] == [(path, found.difference)]
    assert again[0][2] == found.difference
    path.write_text(path.read_text().replace("default<O2>", "coro-early"))
    with FailureStore(tmp_path / "db") as cares:
        assert cares.replay()[0][2] == "", "it is mended"


MISSPELT = {
    "--profile smal": "no profile 'smal'; did you mean 'small'?",
    "--passes coro-slpit": "'coro-slpit'",
    "--passes plian": "did you mean 'plain'?",
    "--reference lvm": "did you mean 'llvm'?",
    "--reference pycoro:coro-slpit": "'coro-slpit'",
}
"""Invalid command lines, which fail before any program is drawn."""


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, earlier = tmp_path / "report.json", tmp_path / "earlier.json"
    report.write_text("earlier")
    os.link(report, earlier)
    common = ["fuzz", "--count", "6", "--profile", "small", "--workers", "0", "--seed", "9", "--quiet"]
    assert main([*common, "--report", str(report), "--database", str(tmp_path / "db")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 programs, 6 coroutines, ") and said.endswith("no difference\n")
    data = json.loads(report.read_text())
    assert earlier.read_text() == "earlier", "the report is written to another file, which then gets its name"
    assert (data["programs"], data["differences"], data["shards_lost"]) == (6, [], {})
    assert data["runs_judged"] == data["runs"] == data["endings"]["finished"] and data["events"] > data["runs"]
    assert main([*common, "--passes", "coro-early", "--json", "--reduce", "0"]) == 1, (
        "where both sides are broken alike, nothing was compared"
    )
    assert json.loads(capsys.readouterr().out)["endings"] == {"broken": data["runs"]}
    for wrong, told in MISSPELT.items():
        assert main([*common, *wrong.split()]) == 2 and told in (said := capsys.readouterr()).err and not said.out
    for wrong in ("--time soon", "--time 0", "--time 1.2.3", "--count 0", "--count -3", "--shard 0", "--workers -1"):
        with pytest.raises(SystemExit, match="2"):
            main(["fuzz", *wrong.split()])


def test_a_campaign_without_comparisons_fails() -> None:
    """The campaign stopped before its first shard, or could execute none of its programs."""
    idle = ShardResult(0, programs=4, runs=4, endings=Counter(timeout=4))
    for results in (fuzz.Results(interrupted=True), fuzz.Results({0: idle})):
        report = fuzz.CampaignReport(SETTINGS, ["pycoro"], results)
        assert not report.ok and "no run was compared" in (lines := list(report.lines()))
        assert "no difference" not in lines and report.to_dict()["runs_judged"] == 0
    good = fuzz.run_shard(next(shards_of_campaign(SETTINGS)))
    assert good.judged == good.runs > 0 and good.events > good.runs
    report = fuzz.CampaignReport(SETTINGS, ["pycoro"], fuzz.Results({0: good}))
    assert (
        report.ok
        and f"  {good.runs} runs compared by {good.events} events, {good.runs} finished, 0 rejected, 0 timed out, 0 crashed"
        in (report.lines())
    )
    for wrong in (
        {"pipelines": ("coro-slpit",)},
        {"pipelines": ()},
        {"profile": "smal"},
        {"reference": "lvm"},
        {"shard_size": 0},
    ):
        with pytest.raises(pycoro.Error):
            replace(SETTINGS, **wrong)  # type: ignore[arg-type]


def test_unreplayable_failures_are_reported(tmp_path: Path) -> None:
    with oracle.Oracle() as judge_of:
        path = fuzz.Database(tmp_path).add(failure(difference="it differs"))
        for old, new in (("; pycoro-oracle:", "; pycoro-orakel:"), ('"ramp": "f"', '"ramp": "g"'), ("define", "defin")):
            text = path.read_text()
            path.write_text(text.replace(old, new, 1))
            ((_, was, now),) = fuzz.Database(tmp_path).replay(judge_of)
            assert was == "it differs" and now.startswith("it cannot be run: ")
            path.write_text(text)


def test_a_candidate_that_cannot_run_is_not_interesting(tmp_path: Path) -> None:
    """A candidate of llvm-reduce may lack the called function."""
    path, candidate = tmp_path / "case.ll", tmp_path / "candidate.ll"
    fuzz.Database.write(path, failure(difference="it differs"))
    candidate.write_text("define void @g() {\n  ret void\n}\n")
    assert not shows_same_difference(str(path), "", str(candidate))


def test_an_interrupted_campaign_does_not_wait_for_its_workers() -> None:
    with pytest.raises(KeyboardInterrupt), fuzz.processes(1) as executor:
        executor.submit(time.sleep, 10**6)
        raise KeyboardInterrupt


def is_interrupt_blocked_or_ignored(process: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text()
    masks = dict(re.findall(r"^(SigBlk|SigIgn):\s*([0-9a-f]+)$", status, re.MULTILINE))
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks.values())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the signal masks of Linux")
def test_every_worker_starts_with_interrupts_blocked() -> None:
    """A pool starts its processes one by one, as tasks are submitted."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    others = {child.pid for child in multiprocessing.active_children()}
    safe: dict[int, bool] = {}
    with fuzz.processes(3) as executor:
        tasks: list[Future[None]] = []
        for _ in range(3):
            tasks.append(executor.submit(time.sleep, 1))
            started = [child.pid for child in multiprocessing.active_children() if child.pid not in others]
            safe |= {pid: is_interrupt_blocked_or_ignored(pid) for pid in started if pid and pid not in safe}
        for task in tasks:
            task.result()
    assert list(safe.values()) == [True] * 3
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_an_interrupted_campaign_reports_its_results(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*given: object, end: bool = False) -> None:
        if not end:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "show", stop)
    assert main(["fuzz", "--profile", "small", "--workers", "0", "--quiet", "--passes", "plain"]) == 130
    assert "programs, " in capsys.readouterr().out


def test_interrupting_the_reduction_reports_the_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fuzz.failures, "reduce", stopped)
    command = ["fuzz", "--count", "2", "--profile", "small", "--workers", "0", "--quiet", "--passes", "coro-early"]
    assert main([*command, "--reference", f"pycoro:{DEFAULT}"]) == 1
    assert "1. broken/finished: " in capsys.readouterr().out


def test_differences_are_found_reported_and_reduced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An incomplete lowering differs from a complete one, and the interpreter identifies the wrong one."""
    command = ["fuzz", "--count", "2", "--profile", "small", "--workers", "0", "--quiet"]
    database = tmp_path / "db"
    wrong = [*command, "--passes", "coro-early", "--reference", f"pycoro:{DEFAULT}", "--database", str(database)]
    assert main([*wrong, "--reduce", "12s"]) == 1
    said = capsys.readouterr().out
    assert "1. broken/finished: " in said and "reduced.ll" in said and "bug in pycoro according to the interpreter" in said
    reduced = next(database.glob("*.reduced.ll"))
    assert len(reduced.read_text().splitlines()) < 60
    assert main(["oracle", str(reduced)]) == 1
    assert main([*command, "--count", "1", "--passes", "plain", "--database", str(database)]) == 1, "the replay still fails"
    assert "still: " in capsys.readouterr().out
    right = [*command, "--passes", "plain", "--reference", "pycoro:coro-early", "--reduce", "0"]
    assert main([*right, "--database", str(tmp_path / "other")]) == 0, "the reference is wrong, which explains it"
    assert main([*right, "--database", str(tmp_path / "other")]) == 0, "and explains the replay"
    assert "bug in the reference according to the interpreter" in capsys.readouterr().out


def test_bytes_decode_to_programs() -> None:
    fuzz.fuzz_one_input(b"")
    fuzz.fuzz_one_input(bytes(range(40)))
    with pytest.raises(fuzz.DifferenceError, match="in nobody's lowering|is only in"):
        fuzz.fuzz_one_input(bytes(range(40)), reference=oracle.Passes("coro-early", "nobody's lowering"))


def test_judging() -> None:
    fine = oracle.Run("finished", "", (("left",),))
    stray = oracle.Run("finished", "", (("stray write", "outside of block 0"), ("left",)))
    case = oracle.Case(BROKEN)
    assert problem_bucket_schedule_trace(oracle.Outcome(case, (oracle.Verdict(fine, fine, ""),)))[0] == ""
    assert (
        problem_bucket_schedule_trace(oracle.Outcome(case, (oracle.Verdict(stray, stray, ""),)))[1]
        == "both: stray write outside of block N"
    )
    assert problem_bucket_schedule_trace(oracle.Outcome(case, (oracle.Verdict(fine, fine, ""),), "it differs"))[1] == "unconfirmed"
    dead = oracle.Run("crashed", "SIGSEGV while it ran", ())
    assert (
        problem_bucket_schedule_trace(oracle.Outcome(case, (oracle.Verdict(dead, dead, ""),)))[0]
        == "both lowerings crash: SIGSEGV while it ran"
    )
    for how in ("failed", "rejected"):
        idle = oracle.Run(how, "no memory", ())
        assert (
            problem_bucket_schedule_trace(oracle.Outcome(case, (oracle.Verdict(idle, idle, ""),)))[0]
            == "neither lowering was run: no memory"
        )


def test_progress_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.show(0.5, 1000, 2)
    assert capsys.readouterr().err == "", "not too often"
    time.sleep(0.01)
    progress.show(1, 2000, 3, end=True)
    assert "2,000 coroutines" in (said := capsys.readouterr().err) and "3 differences" in said
    progress.show(1, 2000, 1, end=True)
    assert "1 difference\n" in capsys.readouterr().err


def test_progress_in_a_notebook_is_one_line() -> None:
    stream_type = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    stream, plain = stream_type(), io.StringIO()
    for out in (stream, plain):
        progress = Progress(out)
        progress.show(0.25, 100, 0)
        progress.show(1, 400, 0, end=True)
    assert stream.getvalue().count("\r") == 2 and stream.getvalue().count("\n") == 1
    assert plain.getvalue().count("\r") == 0 and plain.getvalue().count("\n") == 1


def test_pipelines_may_be_names() -> None:
    settings = fuzz.Settings(fuzz.Budget(programs=1), pipelines=("plain", "default<O1>"))
    assert settings.pipelines == (fuzz.PIPELINES["plain"], "default<O1>")
    assert replace(settings, seed=1).pipelines == settings.pipelines
    with pytest.raises(pycoro.PipelineError) as caught:
        fuzz.Settings(fuzz.Budget(programs=1), pipelines=("plian",))
    assert "names of pycoro.fuzz.PIPELINES: 'plain', 'reuse'" in caught.value.__notes__[0]
    with pytest.raises(pycoro.UsageError, match="PIPELINES: 'plain', 'reuse'"):
        fuzz.Settings(fuzz.Budget(programs=1), pipelines=())
    assert fuzz.Settings(fuzz.Budget(programs=1)).pipelines == tuple(map(fuzz.PIPELINES.__getitem__, fuzz.TURNS))
    with pytest.raises(TypeError, match=r"pipelines must be a tuple of pass strings, such as \('plain',\)"):
        fuzz.Settings(fuzz.Budget(programs=1), pipelines="plain")


@pytest.mark.parametrize("notebook", [False, True])
def test_a_notebook_shows_progress_by_default(
    notebook: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pycoro.fuzz.campaign.is_notebook_stream", lambda stream: notebook)
    settings = fuzz.Settings(fuzz.Budget(programs=2), profile="small", pipelines=("plain",), reference="interpreter")
    fuzz.Campaign(settings, fuzz.Serial).run()
    assert ("0 differences" in capsys.readouterr().err) == notebook


INTERRUPTED = """
import os, signal, sys
from pycoro import fuzz
if __name__ == "__main__":
    settings = fuzz.Settings(fuzz.Budget(seconds=600), profile="small", pipelines=("plain",))
    def interrupt(result):
        os.killpg(0, signal.SIGINT)
    print(fuzz.Campaign(settings, lambda: fuzz.processes(int(sys.argv[1])), each=interrupt).run().interrupted)
"""


def test_the_oracles_process_ends_without_a_traceback_if_its_client_ends_while_writing() -> None:
    job = pickle.dumps({"entries": list(range(100))})
    command = [sys.executable, "-m", "pycoro.oracle._serve"]
    done = subprocess.run(command, input=job[: len(job) // 2], capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_prints_no_tracebacks(workers: int, tmp_path: Path) -> None:
    """A terminal sends SIGINT to the campaign, its workers and the oracle's processes alike."""
    script = tmp_path / "campaign.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, script, str(workers)], capture_output=True, text=True, timeout=300, start_new_session=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
