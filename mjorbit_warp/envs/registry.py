"""Tasks by name."""

from typing import Any

from mjorbit_warp.envs.base import Env
from mjorbit_warp.envs.reorient import Reorient

TASKS: dict[str, type[Env]] = {"reorient": Reorient}


def make(name: str, nworld: int, **options: Any) -> Env:
    """A task by name.

    Args:
      name: reorient.
      nworld: number of worlds.
      options: of the task's class, see Reorient.

    Raises:
      ValueError: there is no such task.
    """
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}: allowed are {', '.join(TASKS)}")
    return TASKS[name](nworld, **options)  # type: ignore[arg-type]  # tasks make their own model
