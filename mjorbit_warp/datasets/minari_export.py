"""A dataset as one of Minari's, the exchange format of offline reinforcement learning."""

import os
from typing import Any

import numpy as np

from mjorbit_warp.datasets.read import Dataset
from mjorbit_warp.extras import need


def export_minari(data: Dataset, dataset_id: str) -> str:
    """Write a dataset into Minari's local folder; its episodes keep their order and their numbers as seeds.

    Observations are the recorded fields, a dictionary of arrays with the start first; actions are the commands. There
    are no rewards in a dataset, so they are 0. An episode that went bad ends in a termination, any other one in a
    truncation; the row that is not finite is left out.

    Args:
      dataset_id: as "two_arm/smooth-v0".

    Returns:
      Where it is.

    Raises:
      ValueError: the dataset has no commands, or Minari refuses the name or has it already.
    """
    minari, spaces = need("minari", "minari", "the export"), need("gymnasium.spaces", "minari", "the export")
    buffer = need("minari.data_collector", "minari", "the export").EpisodeBuffer
    if "ctrl" not in data.names:
        raise ValueError(f"{os.fspath(data.path)!r} has no commands: its model has no actuators")
    names = [name for name in data.fields if name != "ctrl"]
    observations, actions = {}, data["ctrl"]
    for name in names:
        array = data[name]
        low, high = (0, 255) if array.dtype == np.uint8 else (-np.inf, np.inf)
        dtype: Any = array.dtype if array.dtype.kind in "fu" else np.dtype(np.float32)
        observations[name] = spaces.Box(low, high, shape=array.shape[2:], dtype=dtype)
    episodes: list[Any] = []
    for position in range(len(data)):
        rows = data.episode(position)
        lost = "NONFINITE" in data.bad.get(int(rows["episode/index"]), {"status": ()})["status"]
        n = len(rows["ctrl"]) - lost
        if n < 1:
            continue
        last = np.arange(n) == n - 1
        episodes.append(
            buffer(
                id=len(episodes),
                seed=int(rows["episode/index"]),
                observations={name: rows[name][: n + 1].astype(observations[name].dtype) for name in names},
                actions=rows["ctrl"][:n],
                rewards=np.zeros(n),
                terminations=last & bool(lost),
                truncations=last & (not lost),
            )
        )
    about = data.about
    made = minari.create_dataset_from_buffers(
        dataset_id=dataset_id,
        buffer=episodes,
        observation_space=spaces.Dict(observations),
        action_space=spaces.Box(-np.inf, np.inf, shape=actions.shape[2:], dtype=np.float32),
        algorithm_name=about["config"]["policy"]["kind"],
        description=f"mjorbit_warp {about['versions']['mjorbit-warp']}, seed {about['seed']}; rewards are 0",
    )
    return str(made.storage.data_path)
