"""Runs the notebooks and saves them with their outputs: `python tests/notebooks/rerun.py [NAME...]`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
SECONDS_A_CELL = 600  # ends a cell that hangs
STORED_TYPES = ("text/plain", "image/svg+xml")
"""Each picture is saved once: HTML would repeat it."""


def execute(name: str, folder: Path | str) -> Any:
    """Return the notebook with its outputs. A cell that raises is an error, unless it has the tag raises-exception."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS_A_CELL, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()


def save_with_outputs(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(JUPYTER_DATA_DIR=f"{folder}/jupyter", IPYTHONDIR=f"{folder}/ipython")
        notebook = execute(name, folder)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]  # progress, if the work is slow
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data = {kind: data for kind, data in output.data.items() if kind in STORED_TYPES}
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    text = nbformat.writes(notebook).replace(f"{ROOT}/", "")
    (NOTEBOOKS / name).write_text(text.rstrip("\n") + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")):
        save_with_outputs(name)
        print(f"{name}: {(NOTEBOOKS / name).stat().st_size} bytes")
