"""``python -m pycoro.fuzz._interesting REPRODUCER BUCKET CANDIDATE``: llvm-reduce's question, answered by the status."""

import sys

from pycoro.fuzz.reduce import same_kind

if __name__ == "__main__":
    sys.exit(not same_kind(*sys.argv[1:4]))
