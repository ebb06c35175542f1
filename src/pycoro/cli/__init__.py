"""The command line: a module for each command, ``streams`` for what they share, ``command`` for what chooses among them."""

from pycoro.cli.command import main

__all__ = ["main"]
