"""Where a benchmark ran."""

import os
import pathlib
import platform
from datetime import UTC, datetime
from typing import Any

import warp as wp

from mjorbit_warp.run_file import package_versions


def processor() -> str:
    """Name of the host's processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _driver() -> str | None:
    try:
        version = wp.get_cuda_driver_version()
    except (RuntimeError, AttributeError):
        return None
    return ".".join(map(str, version)) if isinstance(version, tuple) else str(version)


def header(device: Any) -> dict[str, Any]:
    """Device, driver, processor, load and versions."""
    return {
        "device": f"{device.alias}, {device.name}" if device.is_cuda else device.alias,
        "driver": _driver() if device.is_cuda else None,
        "processor": processor(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": package_versions(),
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "graph": True,  # every Warp time is that of a replayed graph, else the run is refused
    }
