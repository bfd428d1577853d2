"""Packages that only some parts need."""

import importlib
from typing import Any


def need(package: str, extra: str, subject: str | None = None) -> Any:
    """The imported package, or an ImportError that says how to install it.

    Args:
      package: a module's full name.
      extra: of this package, that brings it.
      subject: what needs it.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        what = f"{name} is not installed" if subject is None else f"{subject} needs {name}"
        raise ImportError(f"{what}: pip install 'mjorbit-warp[{extra}]'") from error
