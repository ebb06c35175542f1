"""The steps of `pycoro.upgrade`, and those for two designs that LLVM never released."""

from __future__ import annotations

from documents.design_2015 import convert_design_2015
from documents.proposed_design import convert_proposed_design
from pycoro.upgrade.run import Upgraded, run_steps
from pycoro.upgrade.steps import STEPS

__all__ = ["ALL_STEPS", "convert"]

ALL_STEPS = (STEPS[0], convert_proposed_design, convert_design_2015, *STEPS[1:])
"""Steps in order, after the conversion of typed pointers: those for the designs, then those for LLVM's own changes."""


def convert(text: str) -> Upgraded:
    """Convert the designs and the IR of LLVM 4 to 21."""
    return run_steps(text, ALL_STEPS)
