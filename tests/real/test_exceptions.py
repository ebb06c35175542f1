"""C++20 programs that throw: lowered by pycoro they behave as in clang's build or, if clang's is wrong, as PROGRAM.expected
says."""

import pathlib

import coroharness as harness
import pytest

FOLDER = harness.HERE / "exceptions"
PROGRAMS = sorted(FOLDER.glob("*.cpp"))
WRONG_BY_CLANG = [program for program in PROGRAMS if program.with_suffix(".expected").exists()]
LANGUAGE = ("-std=c++20",)

# Every program at the two levels that differ most; these few at the rest, and with debug information.
FEW = [FOLDER / name for name in ("across_transfers.cpp", "nested_handlers.cpp", "throw_from_start.cpp")]
BOTH = [(program, level) for program in PROGRAMS for level in ("-O0", "-O2")]
PLAIN = [*BOTH, *((program, level) for program in FEW for level in ("-O1", "-O3"))]
MATRIX = PLAIN + [(program, level, "-g") for program in FEW for level in ("-O0", "-O1", "-O2", "-O3")]

# The heap guard retains each freed block, and a million frames are too many for that.
UNGUARDED = {"million_deep"}

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


def row(program: pathlib.Path, level: str, *flags: str):
    return pytest.param(program, level, flags, id=f"{program.stem}{level}{''.join(flags)}")


def objects_of(program: pathlib.Path, level: str) -> list[pathlib.Path]:
    return [] if program.stem in UNGUARDED else [harness.clang_object(harness.GUARD, level)]


def by_clang(program: pathlib.Path, level: str, folder: pathlib.Path, flags: tuple[str, ...] = ()) -> harness.Outcome:
    """Builds by clang; its objects and lowered ones have different names, so that both use one directory."""
    objects = [harness.clang_object(program, level, (*LANGUAGE, *flags)), *objects_of(program, level)]
    return harness.run(harness.link(objects, folder / f"{program.stem}.clang"))


def by_pycoro(program: pathlib.Path, level: str, folder: pathlib.Path, flags: tuple[str, ...] = ()) -> harness.Outcome:
    objects = [
        harness.lowered_object(program, folder, level, flags=(*LANGUAGE, *flags)),
        *objects_of(program, level),
    ]
    return harness.run(harness.link(objects, folder / f"{program.stem}.lowered"))


@pytest.mark.parametrize(("program", "level", "flags"), [row(*how) for how in MATRIX])
def test_runs_as_it_should(program, level, flags, tmp_path):
    if program in WRONG_BY_CLANG:
        expected = harness.Outcome(0, program.with_suffix(".expected").read_text(), "")
    else:
        expected = by_clang(program, level, tmp_path, flags)
        assert expected.status == 0 and expected.output, f"clang's own build: {expected}"
    assert by_pycoro(program, level, tmp_path, flags) == expected


@pytest.mark.parametrize("program", WRONG_BY_CLANG, ids=lambda p: p.stem)
def test_clang_is_wrong_where_the_program_says_so(program, tmp_path):
    """A program has an .expected file only if clang's build is wrong."""
    outcome = by_clang(program, "-O2", tmp_path)
    assert outcome != harness.Outcome(0, program.with_suffix(".expected").read_text(), "")


@pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")
@pytest.mark.parametrize(("program", "level", "flags"), [row(*how) for how in PLAIN])
def test_is_clean_under_sanitizers(program, level, flags, tmp_path):
    compiled = harness.sanitized_object(program, tmp_path, level, (*LANGUAGE, *flags))
    outcome = harness.run(harness.link([compiled], tmp_path / program.stem, harness.SANITIZE))
    assert (outcome.status, outcome.errors) == (0, ""), outcome.errors
    assert outcome.output
