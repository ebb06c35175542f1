"""Replacement for `opt` based on the LLVM that pycoro is linked with: it reads IR, runs passes, and writes IR.

It is a separate program, ``python -I ... PASSES -o - -`` with ``-S`` for text, because LLVM's passes may crash.
"""

from __future__ import annotations

import sys

from pycoro.errors import Error
from pycoro.module import Module


def main(passes: str, *options: str) -> int:
    try:
        module = Module(sys.stdin.buffer.read(), trusted=True)
        module._core.run_llvm(passes.removeprefix("-passes="))
        module.verify()
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(str(module).encode("utf-8", "surrogateescape") if "-S" in options else module.bitcode())
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
