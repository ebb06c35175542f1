"""What is said of a frame is true of it: by the tests' own inputs, by random coroutines and by LLVM's tests, where these are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pycoro
from pycoro import strategies

IR = Path(__file__).resolve().parents[1] / "ir"
LLVM = os.environ.get("PYCORO_LLVM_TESTS")
PACKED = (False, True)
DRAWN = 300


def inputs() -> Iterator[tuple[str, str]]:
    for path in sorted(IR.rglob("*.ll")):
        yield str(path.relative_to(IR)), path.read_text()
    for path in sorted(Path(LLVM).rglob("*.ll")) if LLVM else ():
        yield path.name, path.read_text()
    for seed in range(DRAWN):
        yield f"seed {seed}", strategies.module([strategies.sample(seed)])


def prepared() -> Iterator[tuple[str, pycoro.Module]]:
    """Those that can be read, as coro-split meets them."""
    for name, text in inputs():
        try:
            module = pycoro.Module(text)
            module.run("coro-early")
        except pycoro.Error:
            continue
        yield name, module


def found(module: pycoro.Module, packed: bool) -> list[pycoro.Coroutine]:
    """None where one is rejected."""
    try:
        return list(module.explain(pycoro.CoroSplit(reuse_storage=packed)).values())
    except pycoro.Error:
        return []


def facts(coroutine: pycoro.Coroutine) -> dict[str, object]:
    """All that is known of the frame; the numbers of attribute groups change with every function that is split."""
    data = coroutine._data
    fields = [{key: re.sub(r" #\d+", "", value) if key == "value" else value for key, value in f.items()} for f in data["fields"]]
    return {key: data[key] for key in ("frame_size", "frame_align", "lower_bound", "suspends", "promise_offset")} | {
        "fields": fields
    }


@pytest.mark.parametrize("packed", PACKED)
def test_explain_says_what_split_does(packed: bool) -> None:
    judged = 0
    for name, module in prepared():
        before = str(module)
        said = {coroutine.name: coroutine for coroutine in found(module, packed)}
        assert str(module) == before
        try:
            done = module.run(f"cgscc({pycoro.CoroSplit(reuse_storage=packed)})").coroutines
        except pycoro.Error:
            continue
        for name_of, coroutine in done.items():
            judged += 1
            assert facts(said[name_of]) == facts(coroutine), (name, name_of)
    assert judged > DRAWN
