"""An echo server and its clients on the library asio: lowered by pycoro, they exchange ten thousand messages over the
loopback as in clang's build."""

import coroharness as harness
import pytest

ECHO = harness.HERE / "asio" / "echo.cpp"
# Features that Debian 12's asio does not detect for this clang.
FLAGS = ("-std=c++20", "-DASIO_HAS_CO_AWAIT", "-DASIO_HAS_STD_COROUTINE")
TOTAL = "9 connections served, 10000 messages echoed, 1 cut off\n"


def has_asio() -> bool:
    try:
        harness.call(
            "clang", [harness.CLANG, *FLAGS, "-E", "-x", "c++", "-o", "/dev/null", "-"], input=b"#include <asio/version.hpp>"
        )
    except harness.StepFailed:
        return False
    return True


pytestmark = [
    pytest.mark.xdist_group("asio"),  # clang's front end takes seconds for asio, and its results are shared
    pytest.mark.slow,
    pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}"),
    pytest.mark.skipif(not harness.missing_tools() and not has_asio(), reason="asio's headers (libasio-dev) are not installed"),
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the outcome of clang's build, the same at every level."""
    program = harness.link([harness.clang_object(ECHO, "-O0", FLAGS)], tmp_path_factory.mktemp("asio") / "echo", ("-pthread",))
    outcome = harness.run(program, 90)
    assert outcome.status == 0 and outcome.output.endswith(TOTAL), f"clang's own build: {outcome}"
    return outcome


@pytest.mark.parametrize("level", harness.LEVELS)
def test_ten_thousand_messages(level, expected, tmp_path):
    lowered = harness.lowered_object(ECHO, tmp_path, level, flags=FLAGS)
    assert harness.run(harness.link([lowered], tmp_path / "echo", ("-pthread",)), 90) == expected


@pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")
@pytest.mark.parametrize("level", harness.LEVELS)
def test_ten_thousand_messages_under_sanitizers(level, expected, tmp_path):
    lowered = harness.sanitized_object(ECHO, tmp_path, level, FLAGS)
    assert harness.run(harness.link([lowered], tmp_path / "echo", ("-pthread", *harness.SANITIZE)), 90) == expected
