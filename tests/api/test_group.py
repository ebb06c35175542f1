"""Custom passes next to coro-split in a CGSCC group."""

from __future__ import annotations

import pytest
from test_abi_choice import PLAIN, Named

import pycoro
from pycoro import CGSCC, CoroSplit, Pipeline
from pycoro.oracle import for_host

# g calls f: callees first means that f has completed the group when g starts.
BOTH = for_host(PLAIN + "\n" + PLAIN[PLAIN.index("define") :].split("\n}\n")[0].replace("@f(", "@g(") + "\n}\n")


class Watches(pycoro.CoroutinePass):
    """Records what it visits, and what is split by then."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bool]] = []

    def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
        self.seen.append((coroutine.name, any(f"{name}.resume" in module.functions for name in "fg")))


def test_the_group_processes_one_coroutine_at_a_time() -> None:
    together, apart = Watches(), Watches()
    grouped = Pipeline("coro-early", CGSCC(together, CoroSplit()), "coro-cleanup")
    assert str(grouped) == "coro-early,cgscc(watches,coro-split),coro-cleanup"
    grouped.run(pycoro.Module(BOTH))
    Pipeline("coro-early", apart, CoroSplit(), "coro-cleanup").run(pycoro.Module(BOTH))
    assert [split for _, split in together.seen] == [False, True]
    assert [split for _, split in apart.seen] == [False, False]
    assert {name for name, _ in together.seen} == {name for name, _ in apart.seen} == {"f", "g"}


def test_a_group_passes_on_its_abis() -> None:
    split = CoroSplit(abis=[Named("f")])
    report = Pipeline("coro-early", CGSCC(Watches(), split), "coro-cleanup").run(pycoro.Module(BOTH))
    assert (report.coroutines["f"].custom_abi, report.coroutines["g"].custom_abi) == ("Named", None)
    module = pycoro.Module(BOTH)
    module.run("coro-early")
    assert module.run(CGSCC(split)).coroutines["f"].custom_abi == "Named"
    with pytest.raises(pycoro.UsageError, match="different lists of ABIs"):
        Pipeline(CGSCC(split), CoroSplit(abis=[Named("g")]))


def test_groups_contain_functions_and_strings() -> None:
    assert str(Pipeline(CGSCC("inline", pycoro.CoroElide(), CoroSplit(reuse_storage=True)))) == (
        "cgscc(inline,function(coro-elide),coro-split<reuse-storage>)"
    )
    one, other = CGSCC("inline", CoroSplit()), CGSCC("inline", CoroSplit())
    assert (
        one == other and hash(one) == hash(other) and one != CGSCC("inline") and repr(one).startswith("CGSCC('inline', CoroSplit(")
    )


def test_invalid_groups_are_errors() -> None:
    with pytest.raises(pycoro.UsageError, match="needs at least one pass"):
        CGSCC()
    with pytest.raises(pycoro.UsageError, match="coro-early is a module pass"):
        CGSCC(pycoro.CoroEarly())
    with pytest.raises(pycoro.UsageError, match="cgscc.* is a module pass"):
        CGSCC(CGSCC("inline"))
    for wrong in (CoroSplit, 3, lambda module: None):
        with pytest.raises(TypeError, match="must contain passes and strings"):
            CGSCC(wrong)  # type: ignore[arg-type]
    with pytest.raises(pycoro.PipelineError):
        Pipeline(CGSCC("no-such-pass"))
