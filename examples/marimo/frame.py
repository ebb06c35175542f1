"""A marimo notebook about a coroutine: run `marimo edit frame.py`, or `marimo export html frame.py -o frame.html`."""

# ruff: noqa: B018  marimo shows the last expression of a cell
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

marimo shows the same pictures as Jupyter, for the last expression of each cell. Choose another module to update all cells below.
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
