"""Suggestions for unknown names in error messages."""

from __future__ import annotations

import pytest

import pycoro
from pycoro._suggest import closest_name_or_empty, unknown_name_message


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("conter", ["main", "counter"], "counter"),
        ("@f", ["g", "f"], "f"),
        ("%x", ["y", "x"], "x"),
        ("@", ["f"], ""),
        ("", ["f"], ""),
        ("zebra", ["main", "counter"], ""),
        ("f", [], ""),
    ],
)
def test_the_nearest_name(name: str, names: list[str], found: str) -> None:
    assert closest_name_or_empty(name, iter(names)) == found


def test_the_sentence_names_it_or_lists_some() -> None:
    assert unknown_name_message("function", "conter", ["main", "counter"]) == "no function 'conter'; did you mean 'counter'?"
    assert unknown_name_message("function", "zebra", ["main", "counter"]) == "no function 'zebra'; there are 'main', 'counter'"
    assert unknown_name_message("function", "zebra", ["main"]) == "no function 'zebra'; there is 'main'"
    assert unknown_name_message("function", "zebra", []) == "no function 'zebra'; there are none"
    assert unknown_name_message("field", "zebra", map(str, range(10))).endswith("'7' and 2 more")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("folder/generator.ll", "this is a path"),
        ("folder/generator.ll\n", "this is a path"),
        ("#include <coroutine>\nint main() {}\n", "this is C or C\\+\\+"),
        ("int main() {}", "this is C or C\\+\\+"),
        ("define i8 @f(i8* %p) {\n  %x = load i8* %p\n  ret i8 %x\n}\n", "this is IR of an older LLVM"),
        ("define void @f(i8* %p) {\n  %q = getelementptr i8* %p, i32 1\n  ret void\n}\n", "this is IR of an older LLVM"),
        ("define void @f() {\n  %x = mul i32 1\n  ret void\n}\n", "correct the line"),
        ("declare void @f()\nx.ll", "correct the line"),
    ],
)
def test_a_parse_error_names_what_the_text_is(text: str, hint: str) -> None:
    with pytest.raises(pycoro.ParseError, match=f"hint: {hint}"):
        pycoro.Module(text)
