"""Real C++20 programs: lowered by pycoro they behave as in clang's build."""

import pathlib

import coroharness as harness
import pytest

PROGRAMS = harness.programs()
TWO_FOLD = [program for program in PROGRAMS if program.is_dir()]

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Build each object once per session: build(source, level, by) with `by` one of clang, lowered."""
    folder, done = tmp_path_factory.mktemp("objects"), {}

    def make(source: pathlib.Path, level: str, by: str) -> pathlib.Path:
        key = (source, level, by)
        if key not in done:
            done[key] = harness.clang_object(source, level) if by == "clang" else harness.lowered_object(source, folder, level)
        return done[key]

    return make


@pytest.fixture(scope="session")
def expected(build, tmp_path_factory):
    """Return the outcome of clang's build of a program."""
    folder, done = tmp_path_factory.mktemp("clang"), {}

    def show(program: pathlib.Path, level: str) -> harness.Outcome:
        key = (program, level)
        if key not in done:
            objects = [build(source, level, "clang") for source in [*harness.sources(program), harness.GUARD]]
            done[key] = harness.run(harness.link(objects, folder / f"{program.stem}{level}"))
            assert done[key].status == 0 and done[key].output, f"clang's own build: {done[key]}"
        return done[key]

    return show


def built_by(build, program: pathlib.Path, level: str, by: dict[pathlib.Path, str], folder: pathlib.Path):
    objects = [build(source, level, how) for source, how in by.items()]
    objects.append(build(harness.GUARD, level, "clang"))
    return harness.run(harness.link(objects, folder / program.stem))


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_runs_as_clang_builds_it(program, level, build, expected, tmp_path):
    everything = dict.fromkeys(harness.sources(program), "lowered")
    assert built_by(build, program, level, everything, tmp_path) == expected(program, level)


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("lowered", [0, 1], ids=["first-lowered", "second-lowered"])
@pytest.mark.parametrize("program", TWO_FOLD, ids=lambda p: p.stem)
def test_objects_of_both_link_and_call_each_other(program, lowered, level, build, expected, tmp_path):
    """Half of the objects come from clang: frame headers and calls through them are compatible."""
    half = {s: "lowered" if i == lowered else "clang" for i, s in enumerate(harness.sources(program))}
    assert sorted(half.values()) == ["clang", "lowered"]
    assert built_by(build, program, level, half, tmp_path) == expected(program, level)


@pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")
@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_is_clean_under_sanitizers(program, level, expected, tmp_path):
    objects = [harness.sanitized_object(source, tmp_path, level, harness.LANGUAGE) for source in harness.sources(program)]
    outcome = harness.run(harness.link(objects, tmp_path / program.stem, harness.SANITIZE))
    assert outcome == expected(program, level)
