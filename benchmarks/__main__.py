"""``python -m benchmarks`` is ``mjorbit-warp bench``; ``--help`` says more."""

import sys

from mjorbit_warp.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench", *sys.argv[1:]]))
