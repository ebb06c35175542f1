"""``pycoro compile``: compile IR to an object file or assembly by LLVM's target machine, without clang."""

from __future__ import annotations

import argparse
from typing import Any

from pycoro._host import host_triple_and_data_layout
from pycoro._lowering_check import require_lowered
from pycoro.cli.streams import add_input_argument, read_module, write_output

__all__ = ["add_command"]

_LEVELS = {"O0": 0, "O1": 1, "O2": 2, "O3": 3, "Os": 2, "Oz": 2}
"""Optimization levels and the code generation levels that clang uses with them."""


def add_command(commands: Any) -> None:
    """Add the command ``compile``."""
    compile = commands.add_parser("compile", help="lower, optimize and compile IR to an object file", allow_abbrev=False)
    add_input_argument(compile)
    compile.add_argument("-o", "--output", required=True, metavar="OUT", help="output file; -: stdout")
    for level in _LEVELS:
        compile.add_argument(f"-{level}", dest="level", action="store_const", const=level, help=argparse.SUPPRESS)
    compile.add_argument(
        "-O",
        dest="level",
        choices=["0", "1", "2", "3", "s", "z"],
        help="optimization level, run as default<O...> (default: 0, as clang's)",
    )
    compile.add_argument(
        "-passes",
        "--passes",
        metavar="PIPELINE",
        help="passes to run instead of those of the level; code is then generated as with -O2, unless there is an -O option",
    )
    compile.add_argument(
        "-filetype", "--filetype", choices=["obj", "asm"], default="obj", help="object file or assembly (default: obj)"
    )
    compile.add_argument(
        "-target",
        "--target",
        "-mtriple",
        default="",
        metavar="TRIPLE",
        help="target triple, or native: this machine's (default: the module's)",
    )
    compile.add_argument("-mcpu", "--mcpu", default="", metavar="CPU", help="target processor")
    compile.add_argument("-mattr", "--mattr", default="", metavar="+A,-B", help="processor features to enable or disable")
    compile.add_argument(
        "-relocation-model",
        "--relocation-model",
        default="",
        metavar="MODEL",
        help="static, pic, ... (default: pic on Linux or if the module has a PIC Level, else the target's)",
    )
    compile.add_argument("-code-model", "--code-model", default="", metavar="MODEL", help="tiny, small, kernel, medium, large")
    compile.set_defaults(run=_run_compile)


def _run_compile(options: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    given = options.level or ("O0" if options.passes is None else "O2")
    level = given if given in _LEVELS else f"O{given}"
    module = read_module(options.input)
    if options.target:
        module.triple = host_triple_and_data_layout()["triple"] if options.target == "native" else options.target
    module.run(f"default<{level}>" if options.passes is None else options.passes)
    require_lowered(module)
    code = module.emit(
        assembly=options.filetype == "asm",
        cpu=options.mcpu,
        features=options.mattr,
        level=_LEVELS[level],
        relocation_model=options.relocation_model,
        code_model=options.code_model,
    )
    write_output(options.output, code)
    return 0
