"""Find the source location of a diagnostic by debug information."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pycoro.errors import Diagnostic
    from pycoro.ir import Instruction
    from pycoro.ir.source_location import SourceLocation
    from pycoro.module import Module

__all__ = ["instruction_of_diagnostic", "location_of_diagnostic_or_function", "without_attribute_and_metadata_numbers"]

_NUMBERS = re.compile(r"( #\d+)?(, ![\w.]+ !\d+)*$")


def without_attribute_and_metadata_numbers(instruction: str) -> str:
    """Return the instruction without numbers of attributes and metadata, which differ between printings."""
    return _NUMBERS.sub("", instruction.strip())


def instruction_of_diagnostic(module: Module, diagnostic: Diagnostic) -> Instruction | None:
    """Return the instruction that a diagnostic quotes, or ``None`` if the module does not have it."""
    if diagnostic.function not in module.functions:
        return None
    function = module.functions[diagnostic.function]
    wanted = without_attribute_and_metadata_numbers(diagnostic.instruction)
    inside = [block for block in function.blocks if diagnostic.block == f"%{block.name}"] or function.blocks
    return next((i for block in inside for i in block if wanted and without_attribute_and_metadata_numbers(str(i)) == wanted), None)


def location_of_diagnostic_or_function(module: Module, diagnostic: Diagnostic) -> SourceLocation | None:
    """Return the place of the instruction in a diagnostic, or else of its function."""
    if diagnostic.function not in module.functions:
        return None
    instruction = instruction_of_diagnostic(module, diagnostic)
    found = instruction.debug if instruction else None
    return found if found and found.line else module.functions[diagnostic.function].debug
