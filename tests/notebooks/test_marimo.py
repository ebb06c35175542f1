"""The marimo notebook of pycoro's objects runs, and each cell has a picture, as in Jupyter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "marimo", reason="marimo is a quarter of a gigabyte, so that pycoro-llvm[test] goes without: pip install marimo"
)

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "marimo" / "frame.py"


def outputs(page: str) -> list[dict[str, Any]]:
    """Return the outputs of each cell by type, in order."""
    found: list[dict[str, Any]] = []
    for place in re.finditer(r'"outputs": ?(?=\[)', page):
        told, _ = json.JSONDecoder().raw_decode(page, place.end())
        data = told[0]["data"] if told else {}
        inner = data.get("application/vnd.marimo+mimebundle", data)
        found.append(json.loads(inner) if isinstance(inner, str) else inner)
    return found


def test_the_notebook_shows_pictures(tmp_path):
    made = tmp_path / "frame.html"
    command = [sys.executable, "-m", "marimo", "export", "html", str(NOTEBOOK), "-o", str(made), "--no-include-code"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    shown = [output for output in outputs(made.read_text()) if output.get("text/html") or output.get("image/svg+xml")]
    module, coroutine, frame, explorer = shown[-4:]
    assert "steps" in module["text/html"] and "<table" in module["text/html"]
    assert "<svg" in coroutine["text/html"] and "<svg" in frame["text/html"]
    assert coroutine["image/svg+xml"] != frame["image/svg+xml"]
    assert explorer["text/html"].startswith("<iframe") and "sandbox" in explorer["text/html"]
