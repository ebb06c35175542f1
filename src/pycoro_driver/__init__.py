"""``pycoro-c++`` and ``pycoro-cc``: clang's driver with pycoro's lowering instead of LLVM's coroutine passes.

The package needs only the standard library, because a build starts it for every unit, and units without coroutines must not
pay for loading libLLVM and pycoro. `lowering` imports ``pycoro``, and is loaded only if there is a coroutine.

===============  ==============================================================================================
`options`        parse pycoro's options; detect command lines that cannot contain a coroutine
`find`           find clang
`drive`          entry points of the commands; replace the process by clang if it needs no help
`clang`          query clang's driver for its jobs
`job`            split a job into front end and code generation
`unit`           compile one unit: front end, search for coroutines, lowering, code generation
`lowering`       lower presplit bitcode with pycoro
`jobs`           run the jobs of a command line
===============  ==============================================================================================
"""

from pycoro_driver.drive import cc, cxx, drive

__all__ = ["cc", "cxx", "drive"]
