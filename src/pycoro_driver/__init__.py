"""``pycoro-c++`` and ``pycoro-cc``: clang's driver with pycoro's lowering instead of LLVM's coroutine passes.

The package needs only the standard library, because a build starts it for every unit, and units without coroutines must not
pay for loading libLLVM and pycoro. Units with coroutines are lowered by a plugin in clang's process (``csrc/plugin``). `engine`
and `lowering` import ``pycoro``, and are loaded only if the plugin cannot be used.

===============  ==============================================================================================
`options`        parse pycoro's options; detect command lines that cannot contain a coroutine
`find`           find clang, its archiver, and pycoro's plugin for clang
`drive`          entry points of the commands; replace the process by clang if it needs no help
`clang`          query clang's driver for its jobs
`job`            split a job into front end and code generation
`unit`           compile one unit: front end, search for coroutines, lowering, code generation
`pipelines`      pass strings of the lowering
`engine`         lower presplit bitcode with pycoro's engine alone
`lowering`       lower presplit bitcode with reports, or rejections
`jobs`           run the jobs of a command line
===============  ==============================================================================================
"""

from pycoro_driver.drive import ar, cc, cxx, drive, main, ranlib

__all__ = ["ar", "cc", "cxx", "drive", "main", "ranlib"]
