"""Command line: one module per command with its options, on top of the shared ``streams``."""

from pycoro.cli.command import main

__all__ = ["main"]
