"""Starting Warp without its greeting."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _no_driver_warning() -> Iterator[None]:
    """Keep from stderr, where Warp's native code writes, that there is no CUDA driver; all else comes through."""
    try:
        stderr = os.dup(2)
    except OSError:  # closed
        yield
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            kept.seek(0)
            for line in kept:
                if b"CUDA driver" not in line:
                    os.write(2, line)


def start_warp() -> None:
    """Start Warp in this process; it says no more than warnings from here on."""
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR  # a machine without a GPU is no reason for a warning
    with _no_driver_warning():
        wp.init()
    wp.config.log_level = wp.LOG_WARNING
