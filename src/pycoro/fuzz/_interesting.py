"""Interestingness test for llvm-reduce: ``python -m pycoro.fuzz._interesting REPRODUCER BUCKET CANDIDATE``; the exit status is
the answer.
"""

import sys

from pycoro.fuzz.reduce import shows_same_difference

if __name__ == "__main__":
    sys.exit(not shows_same_difference(*sys.argv[1:4]))
