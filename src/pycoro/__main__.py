"""Run ``python -m pycoro`` as the command ``pycoro``."""

import sys

from pycoro.cli import main

if __name__ == "__main__":
    sys.exit(main())
