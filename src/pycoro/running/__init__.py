"""Engines and interpreters, which execute modules, and their functions and coroutines as Python objects."""
