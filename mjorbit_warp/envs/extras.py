"""Packages that only some adapters need."""

import importlib
from typing import Any


def need(package: str, extra: str) -> Any:
    """The imported package, or an ImportError that says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{package} is not installed: pip install 'mjorbit-warp[{extra}]'") from error
