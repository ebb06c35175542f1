"""README.md's Python runs as it is printed there."""

from __future__ import annotations

import pathlib
import re

import pytest

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
EXAMPLES = sorted((README.parent / "docs" / "examples").glob("*.ll"))


@pytest.mark.skipif(not README.exists(), reason="not run in a checkout")
def test_the_python_of_the_readme(tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    source = next(path for path in EXAMPLES if "presplitcoroutine" in path.read_text())
    (tmp_path / "generator.ll").write_text(source.read_text())
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "frame of @" in shown
    assert re.search(r"^define .*\.resume\(", shown, re.MULTILINE)
    assert "Remark(pass_name='coro-split'" in shown
