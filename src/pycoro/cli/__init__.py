"""The command line: a module for each command, with its options and its run, above what all of them share (``streams``)."""

from pycoro.cli.command import main

__all__ = ["main"]
