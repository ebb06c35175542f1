"""Interestingness test for llvm-reduce: ``python -m pycoro.fuzz._interesting REPRODUCER BUCKET CANDIDATE``; the exit status is
the answer.
"""

import sys

from pycoro.fuzz.reduce import same_kind

if __name__ == "__main__":
    sys.exit(not same_kind(*sys.argv[1:4]))
