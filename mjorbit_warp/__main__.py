"""``python -m mjorbit_warp`` is the command ``mjorbit-warp``."""

import sys

from mjorbit_warp.cli import main

if __name__ == "__main__":
    sys.exit(main())
