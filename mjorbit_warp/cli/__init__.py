"""The command ``mjorbit-warp``; its libraries come with the extra ``cli`` and are imported only when it runs."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

EXTRA = ("tyro", "rich", "matplotlib", "sgp4")
INSTALL = "pip install 'mjorbit-warp[cli]'"
_REFUSED = (ValueError, TypeError, ImportError, NotImplementedError, OSError)


@contextmanager
def _notes() -> Iterator[None]:
    """Print each MjoWarning as one line on stderr, and MuJoCo's own once nothing was refused: an error says it better.

    MuJoCo would also write its warnings to a file in the current folder.
    """
    import mujoco

    from mjorbit_warp.check import MjoWarning

    said: list[str] = []
    with warnings.catch_warnings():
        show = warnings.showwarning

        def one_line(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, MjoWarning):
                print(f"note: {message}", file=sys.stderr)
            else:
                show(message, category, *place, **more)

        warnings.showwarning = one_line
        warnings.simplefilter("always", MjoWarning)
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(said.append)
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)
    for text in dict.fromkeys(said):
        print(f"note: MuJoCo says: {' '.join(text.split())}", file=sys.stderr)


def _missing_extra(error: BaseException) -> str | None:
    """The sentence about a missing library of the extra, None if the error is another."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    return f"this command needs {name}: {INSTALL}" if name in EXTRA else None


def _run(args: list[str]) -> int:
    import tyro  # noqa: F401  (the first of the extra: a sentence names it if it is missing)

    from mjorbit_warp.cli.bench import bench
    from mjorbit_warp.cli.dataset import dataset
    from mjorbit_warp.cli.demo import demo
    from mjorbit_warp.cli.generate import generate
    from mjorbit_warp.cli.inspect import inspect
    from mjorbit_warp.cli.replay import replay
    from mjorbit_warp.cli.run import run
    from mjorbit_warp.cli.task import task
    from mjorbit_warp.cli.usage import parse
    from mjorbit_warp.cli.validate import validate

    about = "Articulated MuJoCo Warp spacecraft in a real orbit. `mjorbit-warp --version` prints the version."
    commands: dict[str, Callable[..., int]] = {
        "demo": demo,
        "inspect": inspect,
        "run": run,
        "replay": replay,
        "task": task,
        "generate": generate,
        "dataset": dataset,
        "bench": bench,
        "validate": validate,
    }
    return int(parse(commands, "mjorbit-warp", about, args)())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
      argv: arguments, default those of the process.

    Returns:
      0 on success, 1 if a world of the simulation went bad, 2 if the input was refused, 130 if it was stopped.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    if args in (["--version"], ["-V"]):
        from mjorbit_warp import __version__

        print(f"mjorbit-warp {__version__}")
        return 0
    try:
        with _notes():
            return _run(args or ["--help"])
    except SystemExit as stop:  # tyro has printed its help or its complaint
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except KeyboardInterrupt as stop:
        print(str(stop) or "interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # or Python flushes into the pipe at its end
        return 0
    except _REFUSED as error:
        text = _missing_extra(error) or " ".join(str(error).split()).removeprefix("Error: ") or type(error).__name__
        print(f"error: {text}", file=sys.stderr)
        return 2
    except (MemoryError, RuntimeError) as error:
        if type(error).__name__ == "MjoError":  # by name: the import would cost --version its second
            print(f"error: {error}", file=sys.stderr)
            return 1
        if not isinstance(error, MemoryError) and "allocat" not in str(error):
            raise
        print("error: there is not enough memory: a smaller --nworld or fewer records need less", file=sys.stderr)
        return 2
