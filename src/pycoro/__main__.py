"""``python -m pycoro`` is the command ``pycoro``."""

import sys

from pycoro.cli import main

sys.exit(main())
