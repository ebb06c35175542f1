"""A coroutine looked at in marimo: run `marimo edit frame.py`, or `marimo export html frame.py -o frame.html`."""

# ruff: noqa: B018  the last expression of a cell is what it shows
# mypy: ignore-errors

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    from pathlib import Path

    import marimo as mo

    import pycoro

    return Path, mo, pycoro


@app.cell
def _(mo):
    mo.md("""
# A coroutine in marimo

Whatever pycoro draws in Jupyter is drawn here: the last expression of a cell is shown. Choose another module, and all that is below
follows.
""")
    return


@app.cell
def _(Path, mo):
    folder = Path(__file__).resolve().parents[2] / "docs" / "examples"
    choice = mo.ui.dropdown(sorted(path.name for path in folder.glob("*.ll")), value="steps.ll", label="module")
    choice
    return choice, folder


@app.cell
def _(choice, folder, pycoro):
    module = pycoro.Module.from_file(folder / choice.value)
    coroutine = next(iter(module.coroutines.values()))
    module
    return coroutine, module


@app.cell
def _(coroutine):
    coroutine
    return


@app.cell
def _(coroutine):
    coroutine.frame
    return


@app.cell
def _(module):
    module.explore()
    return


if __name__ == "__main__":
    app.run()
