"""``pycoro compile``: IR to an object file or assembly, by LLVM's target machine in this process, for frontends without clang."""

from __future__ import annotations

import argparse
from typing import Any

from pycoro._lowering_check import require_lowered
from pycoro.cli.streams import add_input, read_module, write_output

__all__ = ["add"]

_LEVELS = {"O0": 0, "O1": 1, "O2": 2, "O3": 3, "Os": 2, "Oz": 2}
"""Those of optimisation, and of code generation as clang has it at each."""


def add(commands: Any) -> None:
    """The command ``compile``."""
    compile = commands.add_parser("compile", help="lower, optimise and compile IR to an object file", allow_abbrev=False)
    add_input(compile)
    compile.add_argument("-o", "--output", required=True, metavar="OUT", help="where the code goes; -: stdout")
    for level in _LEVELS:
        compile.add_argument(f"-{level}", dest="level", action="store_const", const=level, help=argparse.SUPPRESS)
    compile.add_argument("-O", dest="level", choices=["0", "1", "2", "3", "s", "z"], help="run default<O...>; without it -O0")
    compile.add_argument("-passes", "--passes", metavar="PIPELINE", help="run these in the place of the level's")
    compile.add_argument(
        "-filetype", "--filetype", choices=["obj", "asm"], default="obj", help="an object file, or assembly (default: obj)"
    )
    compile.add_argument("-target", "--target", "-mtriple", default="", metavar="TRIPLE", help="in the place of the module's")
    compile.add_argument("-mcpu", "--mcpu", default="", metavar="CPU", help="the processor to compile for")
    compile.add_argument("-mattr", "--mattr", default="", metavar="+A,-B", help="features of it, with or without")
    compile.add_argument(
        "-relocation-model",
        "--relocation-model",
        default="",
        metavar="MODEL",
        help="static, pic, ... (default: pic on Linux and where the module's PIC Level says so, else the target's)",
    )
    compile.add_argument("-code-model", "--code-model", default="", metavar="MODEL", help="tiny, small, kernel, medium, large")
    compile.set_defaults(run=_run, level="O0")


def _run(options: argparse.Namespace) -> int:
    """Runs the command; the exit status."""
    level = options.level if options.level in _LEVELS else f"O{options.level}"
    module = read_module(options.input)
    module.run(f"default<{level}>" if options.passes is None else options.passes)
    require_lowered(module)
    code = module.emit(
        assembly=options.filetype == "asm",
        triple=options.target,
        cpu=options.mcpu,
        features=options.mattr,
        level=_LEVELS[level],
        relocation_model=options.relocation_model,
        code_model=options.code_model,
    )
    write_output(options.output, code)
    return 0
