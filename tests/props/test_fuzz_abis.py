"""``pycoro fuzz --abis``: lowering by random ABIs, compared with the standard ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pycoro
from pycoro import fuzz, strategies
from pycoro.cli import main
from pycoro.fuzz.abis import name_of_drawn_reference
from pycoro.fuzz.campaign import shards_of_campaign
from pycoro.pipeline import DEFAULT

SETTINGS = fuzz.Settings(fuzz.Budget(12), seed=3, profile="small", pipelines=(DEFAULT,), shard_size=4, abis=True)


def test_each_shard_has_a_different_abi() -> None:
    made = list(shards_of_campaign(SETTINGS))
    assert [shard.reference for shard in made] == [f"drawn-abi:3.{number}:{DEFAULT}" for number in range(3)]
    assert all(shard.allocation is False for shard in made)
    way = pycoro.oracle.reference(made[1].reference)
    assert isinstance(way, fuzz.ByDrawnABI) and way.abi == strategies.sample_abi("3.1") and str(way.abi) in way.name


@pytest.mark.parametrize("name", ["drawn-abi", "drawn-abi:3", "drawn-abi:3:", "drawn-abi:3:coro-spilt"])
def test_invalid_abi_names_are_errors(name: str) -> None:
    with pytest.raises(pycoro.Error, match=r"drawn-abi:SEED:PASSES|coro-spilt"):
        pycoro.oracle.reference(name)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--quiet", "--workers", "0", "--profile", "small", "--shard", "4"]
    assert main(["fuzz", "--abis", "--count", "8", "--json", *common]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["programs"], told["reference"], told["differences"]) == (8, "drawn ABIs", [])


def test_random_abis_change_frame_layouts() -> None:
    """The ABIs are used: their decisions change the output."""
    program = strategies.module([strategies.sample(3, strategies.ALL.but(abis=("switch",)))])
    standard = fuzz.ByDrawnABI("0", DEFAULT)
    texts = set()
    for seed in range(8):
        way = pycoro.oracle.reference(name_of_drawn_reference(str(seed), DEFAULT))
        assert isinstance(way, fuzz.ByDrawnABI)
        lowered = way.lower(program)
        assert isinstance(lowered, bytes)
        texts.add(lowered)
    assert len(texts) > 4 and standard.optimizes is False


class Wrong(strategies.decisions.DrawnABI):
    """Adds output that the program does not have."""

    @property
    def abis(self) -> tuple[pycoro.ABI, ...]:
        class Says(pycoro.SwitchABI):
            hook_module = "declare void @report_i32(i32)\ndefine void @abi.begin() {\n call void @report_i32(i32 7)\n ret void\n}"

            def select(self, coroutine: pycoro.Candidate) -> bool:
                return True

        return (Says(),)


def test_a_difference_names_the_abi(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pycoro.fuzz.abis.sample_abi", lambda seed: Wrong(seed=77))
    command = ["fuzz", "--abis", "--count", "40", "--workers", "0", "--quiet", "--reduce", "0", "--database", str(tmp_path)]
    assert main([*command, "--json", "--passes", "plain"]) == 1
    told = json.loads(capsys.readouterr().out)
    first = told["differences"][0]
    assert "Wrong(seed=77)" in first["abi"] and first["reference"].startswith("drawn-abi:0.") and first["blame"] == "theirs"
    file = Path(first["files"][0])
    assert "drawn-abi:0." in file.read_text()
    assert main(["oracle", str(file), "--trust"]) == 1
    assert "Wrong(seed=77)" in capsys.readouterr().out
