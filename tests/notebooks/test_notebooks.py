"""The notebooks run from top to bottom, and their outputs equal the saved ones."""

from __future__ import annotations

import ast
import re
import shutil

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebooks need nbformat: pip install pycoro[test]")
nbclient = pytest.importorskip("nbclient", reason="the notebooks need nbclient: pip install pycoro[test]")
pytest.importorskip("ipykernel", reason="the notebooks need a kernel: pip install pycoro[test]")

from rerun import NOTEBOOKS, STORED_TYPES, execute  # noqa: E402  needs what is imported above

CHANGES = re.compile(r"0x[0-9a-f]{6,}| +[0-9.]+ ms")
"""Addresses and times."""


def run(name, tmp_path):
    """Return the notebook with its outputs, which equal the saved ones."""
    kept, done = nbformat.read(NOTEBOOKS / name, as_version=4), execute(name, tmp_path)
    nbformat.validate(kept)
    for was, now in zip(kept.cells, done.cells, strict=True):
        if was.cell_type == "code":
            assert output_text(now) == output_text(was), (
                f"the cell {was.id} says something else: python tests/notebooks/rerun.py {name}"
            )
            assert {kind for o in was.outputs for kind in o.get("data", ())} <= set(STORED_TYPES)
            assert len(pictures(was.outputs)) == len(pictures(now.outputs)), "to be read without running"
    return done


def output_text(cell):
    """Return the output of a cell as text: its printed chunks joined, and the rest."""
    rest = [o.get("data", {}).get("text/plain", o.get("evalue")) for o in cell.outputs if o.output_type != "stream"]
    prints = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
    return [CHANGES.sub("…", text) for text in (prints, *rest)]


def outputs(notebook, cell_id):
    (cell,) = [c for c in notebook.cells if c.get("id") == cell_id]
    return cell.outputs


def printed(cell_outputs):
    return "".join(o.text for o in cell_outputs if o.output_type == "stream")


def pictures(cell_outputs):
    return [o.data["image/svg+xml"] for o in cell_outputs if "image/svg+xml" in o.get("data", {})]


def result(cell_outputs):
    return cell_outputs[-1].data["text/plain"]


def raised(cell_outputs):
    return cell_outputs[-1].ename


@pytest.fixture(autouse=True)
def own_kernel(monkeypatch, tmp_path):
    """Use this Python's kernel, independent of the user's kernels and settings."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


@pytest.mark.skipif(not shutil.which("clang++-22"), reason="clang++-22 is not installed")
def test_the_first_hour(tmp_path):
    done = run("00-first-hour.ipynb", tmp_path)
    assert all(pictures(outputs(done, cell)) for cell in ("frame", "stands", "life"))
    assert "0 differences" in printed(outputs(done, "fuzz"))
    assert printed(outputs(done, "oracle")).startswith("equal: ")


def test_the_first_hour_without_a_compiler(monkeypatch, capsys):
    """The saved output of clang equals its real output."""
    kept = nbformat.read(NOTEBOOKS / "00-first-hour.ipynb", as_version=4)
    cells = {cell.id: cell for cell in kept.cells}
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.chdir(NOTEBOOKS)
    exec(cells["import"].source + "\n" + cells["source"].source, {})
    assert capsys.readouterr().out == printed(cells["source"].outputs)


def test_first_coroutine(tmp_path):
    notebook = run("01-first-coroutine.ipynb", tmp_path)
    assert len(pictures(outputs(notebook, "coroutine"))) == 1
    (kept,) = pictures(outputs(notebook, "frame"))
    assert "%square" in kept
    (left,) = pictures(outputs(notebook, "cheaper"))
    assert "%square" not in left
    assert "%square" in printed(outputs(notebook, "explain"))
    assert printed(outputs(notebook, "unneeded")).startswith("32 bytes before, 24 now: ")
    assert "squares.resume" in printed(outputs(notebook, "lower"))
    assert "llvm.coro" not in printed(outputs(notebook, "lowered"))
    assert printed(outputs(notebook, "start")) == "coroutine says 3\n"
    resumed = outputs(notebook, "resume")
    assert re.findall(r"\d+", printed(resumed)) == ["9", "4", "16", "5"] and result(resumed) == "False"
    assert "destroyed" in result(outputs(notebook, "destroy"))
    assert raised(outputs(notebook, "resume-destroyed")) == "LifecycleError"
    assert raised(outputs(notebook, "not-ir")) == "ParseError"
    assert raised(outputs(notebook, "not-presplit")) == "RejectedError"
    assert "in @squares, block %entry: %again = call" in printed(outputs(notebook, "two-begins"))


@pytest.mark.skipif(not shutil.which("clang++-22"), reason="clang++-22 is not installed")
def test_cpp_generator(tmp_path):
    notebook = run("02-cpp-generator.ipynb", tmp_path)
    assert pictures(outputs(notebook, "coroutine"))
    assert "promise" in printed(outputs(notebook, "frame"))
    before, after = map(ast.literal_eval, printed(outputs(notebook, "optimised")).splitlines())
    assert {"sum", "row"} <= set(before["alloca"]) and not before["spill"]
    assert not {"sum", "row"} & set(after["alloca"]) and len(after["spill"]) >= 3
    assert result(outputs(notebook, "run")) == "[1, 3, 6, 10, 15]"
    assert result(outputs(notebook, "noted")) == "[(1, 1), (2, 3), (3, 6), (4, 10), (5, 15)]"
    assert result(outputs(notebook, "done")) == "True"
    assert "destroyed" in result(outputs(notebook, "destroy"))


def test_continuations_and_abis(tmp_path):
    notebook = run("03-continuations-and-abis.ipynb", tmp_path)
    assert pictures(outputs(notebook, "source")) and pictures(outputs(notebook, "abi"))
    assert printed(outputs(notebook, "run")) == "(5, 100)\n(16, 89)\n(14, 91)\n"
    assert printed(outputs(notebook, "again")) == printed(outputs(notebook, "run"))
    assert "@target" in printed(outputs(notebook, "abi"))
    assert printed(outputs(notebook, "fails")) == "this ABI has no idea\n"
    assert result(outputs(notebook, "fails")) == "True"


def test_a_custom_abi(tmp_path):
    notebook = run("04-an-abi-of-ones-own.ipynb", tmp_path)
    (standard,), (own,) = (pictures(outputs(notebook, cell)) for cell in ("source", "header"))
    assert "header" in own and "header" not in standard
    assert printed(outputs(notebook, "blank")) == "3\n4\n5\n"
    assert printed(outputs(notebook, "told")) == "3\n-1\n-2\n4\n-1\n-2\n5\n-1\n"
    assert result(outputs(notebook, "times")) == "('0xc0ffee', 5)"
    assert printed(outputs(notebook, "memory")) == "True\n"
    assert "counter.resume.1" in printed(outputs(notebook, "parts"))
    assert printed(outputs(notebook, "parts")).endswith("3\n4\n5\n")
    assert "did you mean abi.suspend?" in printed(outputs(notebook, "wrong"))
    assert printed(outputs(notebook, "oracle")).startswith("equal: ")


def test_a_pipeline(tmp_path):
    notebook = run("05-script-a-pipeline.ipynb", tmp_path)
    sizes = [int(line.split(" bytes")[0].split()[-1]) for line in printed(outputs(notebook, "orders")).splitlines()]
    assert sizes[0] == sizes[2] > sizes[1] == sizes[3], "what stands in front of the split is what counts"
    assert raised(outputs(notebook, "refused")) == "RejectedError" and result(outputs(notebook, "as-it-was")) == "True"
    assert raised(outputs(notebook, "misspelt")) == "PipelineError"
    assert printed(outputs(notebook, "run")).count("[1, 4, 9, 16] [30]") == len(sizes)


def test_a_language_in_an_hour(tmp_path):
    notebook = run("06-a-language-in-an-hour.ipynb", tmp_path)
    assert printed(outputs(notebook, "run")) == printed(outputs(notebook, "compiled")) == "1\n4\n9\n16\n-1\n"
    assert printed(outputs(notebook, "early")) == "1\nshown -1\n" and pictures(outputs(notebook, "frame"))
    assert printed(outputs(notebook, "o2")).startswith("[]\n"), "nothing of a coroutine is left"
    assert result(outputs(notebook, "lint")) == "<Findings: none>"
    assert printed(outputs(notebook, "oracle")).startswith("equal: ")


@pytest.mark.skipif(not shutil.which("opt-22"), reason="opt-22 is not installed, which LLVM's lowering is compared by")
def test_fuzz_and_compare(tmp_path):
    pytest.importorskip("hypothesis", reason="it draws by hypothesis: pip install pycoro[strategies]")
    notebook = run("07-fuzz-and-compare.ipynb", tmp_path)
    assert printed(outputs(notebook, "property")) == "True\n"
    assert printed(outputs(notebook, "wrong")).startswith("found")
    assert printed(outputs(notebook, "llvm")).startswith("12 of 12 ")
    assert "right: pycoro's lowering" in printed(outputs(notebook, "found"))
    assert printed(outputs(notebook, "source")).startswith("LLVM's process ended")
    assert raised(outputs(notebook, "refused")) == "RejectedError"
