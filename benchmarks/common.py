"""What the scripts of this folder share: arguments, one clock that takes turns, and how a result is written."""

import argparse
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import warp as wp

from mjorbit_warp.bench.machine import header
from mjorbit_warp.run_file import replacing

Calls = Mapping[str, Callable[[], Any]]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser with ``--out`` that shows a script's own words."""
    out = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("--out", help="write the JSON there")
    return out


def seconds(call: Callable[[], Any]) -> float:
    """Time of a call on the current device, from idle to idle [s]."""
    wp.synchronize()
    start = time.perf_counter()
    call()
    wp.synchronize()
    return time.perf_counter() - start


def alternate(
    calls: Calls, repeat: int, before: Callable[[str, int], Any] = lambda name, count: None
) -> dict[str, list[float]]:
    """Seconds of each call, one per round; all take part in each round, so that drift of the machine cancels in ratios.

    Args:
      calls: by name.
      repeat: rounds that count; one more comes before them, which compiles and warms caches.
      before: called with a name and the number of the round before each call, not timed.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for count in range(repeat + 1):
        for name, call in calls.items():
            before(name, count)
            took = seconds(call)
            if count:
                times[name].append(took)
    return times


def memory_in_use(device: Any) -> dict[str, int]:
    """Bytes of the device and of this process in use."""
    page = os.sysconf("SC_PAGE_SIZE")
    resident = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * page
    used = device.total_memory - device.free_memory if device.is_cuda else 0
    return {"device": int(used), "process": resident}


def command() -> str:
    """The words that started this script."""
    words = sys.argv[1:]
    return " ".join(["python -m", f"benchmarks.{pathlib.Path(sys.argv[0]).stem}", *words])


def result(args: argparse.Namespace, rows: Any) -> dict[str, Any]:
    """What a script reports: its command, the machine, its arguments and rows."""
    settings = {name: value for name, value in vars(args).items() if name != "out"}
    return {"command": command(), "machine": header(wp.get_device()), "settings": settings, "results": rows}


def write(value: Any, out: str | os.PathLike[str], indent: int | None = 1) -> None:
    """JSON in a file that is there as a whole or not at all."""
    with replacing(out) as part:
        part.write_text(json.dumps(value, indent=indent, allow_nan=False) + "\n", encoding="utf-8")


def report(value: dict[str, Any], out: str | None) -> None:
    """Print a result, and write it if ``out`` is given."""
    print(json.dumps(value, indent=1))
    if out:
        write(value, out)
