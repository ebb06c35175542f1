"""``pycoro-c++`` and ``pycoro-cc``: clang's driver in front, pycoro's lowering in the place of LLVM's.

A package of its own, which needs nothing but the standard library: a build starts it once for each unit, and one without
coroutines is not to wait for libLLVM and all of pycoro. Only `lowering` imports ``pycoro``, and is imported where there is
something to lower.

===============  ==============================================================================================
`options`        what of the command line is pycoro's; which command lines cannot have a coroutine in them at all
`find`           the clang that is used
`drive`          the commands; whether clang takes over at once
`clang`          the jobs that clang's driver makes of a command line
`job`            a job, and what becomes of its line where a front end and a code generator are to stand apart
`unit`           one unit: its front end, a look for coroutines, lowering, code generation
`lowering`       presplit bitcode to lowered bitcode, by pycoro
`jobs`           a command line, job by job
===============  ==============================================================================================
"""

from pycoro_driver.drive import cc, cxx, drive

__all__ = ["cc", "cxx", "drive"]
